import { expect, test } from 'vitest'
import { extract } from '../../../../core/file/document/extract.ts'
import type { Extraction } from '../../../../core/file/document/schema.ts'
import { readFile } from '../../../../core/tool/read/files.ts'
import { noRoom } from '../../../../core/tool/read/media.ts'
import type { ToolContext } from '../../../../core/tool/tool.ts'
import { pdf } from '../../../support/documents.ts'

/** What `read_file` says of a PDF whose pages are pictures, where the turn has no room for more of them. */

const picture = (page: number) => ({ page, mimeType: 'image/png' as const, base64: 'AA==' })
const pages5to8: Extraction = {
  state: 'truncated',
  text: '',
  extent: { unit: 'page', from: 5, to: 8, total: 20 },
  leftOut: ['pagesWithoutText'],
}

/** Reads pages 5 to 8 of a file in a turn that shows this number of further pictures. */
async function read(over: Partial<Extraction>, pages: number[], room: number): Promise<string> {
  let left = room
  const context: Partial<ToolContext> = {
    signal: new AbortController().signal,
    see: async ({ base64 }) => (left-- > 0 ? { type: 'image', mimeType: 'image/png', base64 } : undefined),
    readOn: async () => ({
      name: 'scan.pdf',
      pictures: pages.map(picture),
      extraction: { ...pages5to8, ...over },
    }),
  }
  const found = await readFile.run({ file: 7, from: 5, skip: 0 }, context as ToolContext)
  return typeof found === 'string' ? found : found.text
}

test.each([
  ['a scan', { state: 'noText' as const, extent: null }, [5, 6, 7, 8]],
  ['a part of a scan', {}, [5, 6, 7, 8]],
])('pages of %s that the turn cannot show are refused for this reason', async (_, over, pages) => {
  await expect(read(over, pages, 0)).rejects.toThrow(noRoom)
})

test('pages without a picture are named beside the text of the others', async () => {
  expect(await read({ text: '## Page 6\n\nText' }, [5, 7], 0)).toBe(
    `scan.pdf, pages 5 to 8 of 20. The next part begins at 9.\n\nThe pages 5, 7 are not shown. ${noRoom}\n\n## Page 6\n\nText`,
  )
})

test('the next part begins at the first page without a picture', async () => {
  expect(await read({}, [5, 6, 7, 8], 2)).toContain('pages 5 to 6 of 20. The next part begins at 7.')
})

test('a page beyond the limit of one part is read whole in further parts', async () => {
  const words = Array.from({ length: 14_000 }, (_, at) => `word${at}`)
  const file = await pdf(['First', words.join(' '), 'Last'], { size: [14_000, 3_000] })
  const readOn: ToolContext['readOn'] = async (_, { from, skip = 0 }) => {
    const whole = await extract(file, 'pdf', {}, { from, characters: skip + 60_000 })
    return { name: 'long.pdf', pictures: [], extraction: { ...whole, text: whole.text.slice(skip) } }
  }
  const read: string[] = []
  for (let at = { from: 2, skip: 0 }; read.length < 20; ) {
    const found = await readFile.run({ file: 7, ...at }, { readOn } as ToolContext)
    const text = typeof found === 'string' ? found : found.text
    read.push(text.slice(text.indexOf('\n\n') + 2))
    const next = /The next part begins at (\d+)(?:, skip (\d+))?\./.exec(text)
    if (!next) break
    at = { from: Number(next[1]), skip: Number(next[2] ?? 0) }
  }

  expect(read.length).toBeGreaterThan(2)
  expect(read.join('').match(/\bword\d+|Last/g)).toEqual([...words, 'Last'])
})

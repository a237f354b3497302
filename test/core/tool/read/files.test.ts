import { expect, test } from 'vitest'
import type { Extraction } from '../../../../core/file/document/schema.ts'
import { readFile } from '../../../../core/tool/read/files.ts'
import { noRoom } from '../../../../core/tool/read/media.ts'
import type { ToolContext } from '../../../../core/tool/tool.ts'

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
  const found = await readFile.run({ file: 7, from: 5 }, context as ToolContext)
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

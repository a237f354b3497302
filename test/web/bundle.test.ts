import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

type Chunk = Rolldown.OutputChunk

/** What a foreign page loads before anything is asked for on demand, in bytes of gzip. */
const budget = 44_032

let chunks: Map<string, Chunk>
let output: Rolldown.RolldownOutput['output']
beforeAll(async () => {
  vi.stubEnv('NODE_ENV', 'production')
  const built = (await build({ logLevel: 'silent', build: { write: false } })) as Rolldown.RolldownOutput
  output = built.output
  const all = output.filter((file): file is Chunk => file.type === 'chunk')
  chunks = new Map(all.map((chunk) => [chunk.fileName, chunk]))
})

afterAll(() => {
  vi.unstubAllEnvs()
})

/** A chunk with everything that it imports at once. */
function atOnce(name: string, seen = new Set<string>()): Chunk[] {
  const chunk = chunks.get(name)
  if (!chunk || seen.has(name)) return []
  seen.add(name)
  return [chunk, ...chunk.imports.flatMap((one) => atOnce(one, seen))]
}

describe('the script of the chat', () => {
  test('fits its budget before the parts that are loaded on demand', () => {
    const bytes = atOnce('chat.js').reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0)

    expect(bytes).toBeLessThanOrEqual(budget)
  })

  test('is set up by a small script that holds no copy of it', () => {
    const embed = chunks.get('embed.js')

    expect(gzipSync(embed?.code ?? '', { level: 9 }).length).toBeLessThanOrEqual(1_000)
    expect(embed?.imports).toEqual(['chat.js'])
  })

  test('holds no schema library, no highlighter and no comparison', () => {
    const modules = atOnce('chat.js').flatMap(({ moduleIds }) => moduleIds)

    expect(modules.filter((id) => /node_modules\/(?:zod|highlight\.js|diff|marked)\//.test(id))).toEqual([])
  })

  test('has no part with what only the server has', () => {
    const modules = [...chunks.values()].flatMap(({ moduleIds }) => moduleIds)

    expect(modules.filter((id) => /browser-external|node_modules\/@aws|\/base\/aws\//.test(id))).toEqual([])
  })

  test('defines two elements and nothing else', () => {
    const code = [...chunks.values()]
      .filter(({ fileName }) => !/index/.test(fileName))
      .map(({ code }) => code)

    expect(code.join('\n').match(/customElements\.define\([^,]+/g)).toEqual([
      'customElements.define(`ai-chat-module`',
      'customElements.define(`ai-chat-panel`',
    ])
  })

  test('asks for its parts beside itself, wherever it was loaded from', () => {
    for (const { code } of chunks.values())
      for (const [, address] of code.matchAll(/\bimport\(\s*[`'"]([^`'"]+)/g))
        expect(address).toMatch(/^\.\.?\//)
  })

  test('is loaded once by the backend, which holds no copy of it', () => {
    const index = [...chunks.values()].find((chunk) => chunk.isEntry && chunk.name === 'index')

    expect(index?.imports).toContain('chat.js')
    expect(index?.moduleIds.filter((id) => /\/web\/chat\/|\/node_modules\/lit/.test(id))).toEqual([])
  })
})

test('the build says which parts and pages it has, so that a stage can tell those of earlier builds', () => {
  const names = output.map(({ fileName }) => fileName)
  const said = output.find(({ fileName }) => fileName === 'release.json')
  const { parts, pages } = JSON.parse(said?.type === 'asset' ? String(said.source) : '{}')
  const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')
  const entries = output.filter(({ fileName }) => /^[^/]+\.(html|js)$/.test(fileName))

  expect(parts).toEqual(names.filter((name) => name.startsWith('assets/')).sort())
  expect(parts.length).toBeGreaterThan(10)
  expect(Object.keys(pages)).toEqual(['chat.js', 'embed.js', 'index.html'])
  expect(pages).toEqual(
    Object.fromEntries(entries.map((it) => [it.fileName, sha256(it.type === 'chunk' ? it.code : it.source)])),
  )
})

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../../web/chat/${path}`, import.meta.url), 'utf8')

type Named = { name: string }
type Declaration = {
  tagName: string
  attributes: Named[]
  members: (Named & { kind: string })[]
  events: Named[]
  cssParts: Named[]
  cssProperties: Named[]
}
const { modules } = JSON.parse(read('custom-elements.json')) as { modules: { declarations: Declaration[] }[] }
const declared = (tag: string) =>
  modules.flatMap(({ declarations }) => declarations).find(({ tagName }) => tagName === tag)

/** What the comments of a class say, by tag. */
const said = (source: string, tag: string) =>
  [...source.matchAll(new RegExp(`@${tag} (?:\\{[^}]*(?:\\{[^}]*\\}[^}]*)*\\} )?([\\w-]+) - `, 'g'))].map(
    (match) => match[1],
  )
const names = (entries: Named[] = []) => entries.map(({ name }) => name).sort()

test.each([
  ['ai-chat-module', [read('element/element.ts')]],
  ['ai-chat-panel', [read('element/element.ts'), read('element/panel.ts')]],
])('the manifest of %s says what its class says', (tag, sources) => {
  const found = (kind: string) => sources.flatMap((source) => said(source, kind)).sort()
  const element = declared(tag)

  expect(names(element?.attributes)).toEqual(found('attr'))
  expect(names(element?.events)).toEqual(found('fires'))
  expect(names(element?.cssParts)).toEqual(found('csspart'))
  expect(names(element?.cssProperties)).toEqual(found('cssprop'))
})

test.each(['ai-chat-module', 'ai-chat-panel'])('every method of the manifest of %s exists', (tag) => {
  const source = read('element/element.ts') + read('element/panel.ts')

  for (const { name, kind } of declared(tag)?.members ?? [])
    expect(source).toMatch(
      kind === 'method' ? new RegExp(`^ {2}(?:async )?${name}\\(`, 'm') : new RegExp(`declare ${name}:`),
    )
})

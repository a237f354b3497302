import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { read, root } from '../support/docs.ts'

const source = (path: string) => readFileSync(join(root, path), 'utf8')
const all = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map((match) => match[1]))].sort()

const elements = ['element', 'panel', 'module']
  .map((name) => source(`web/chat/element/${name}.ts`))
  .join('\n')
const page = read('docs/embedding.md')

test('docs/embedding.md names every event of the elements, and no other', () => {
  const known = all(source('web/chat/events.ts'), /^ {2}'(ai-chat-[a-z-]+)'/gm)

  expect(all(page, /^\| `(ai-chat-[a-z-]+)`/gm)).toEqual(known)
})

test('and every attribute and part', () => {
  const attributes = all(elements, /^ \* @attr \{\w+\} ([a-z-]+)/gm)
  const parts = all(elements, /^ \* @csspart ([a-z-]+)/gm)

  expect(all(page, /^\| `(?!ai-chat)([a-z-]+)` \| (?:`\w+`|-) \|/gm)).toEqual(attributes)
  expect(all(/Parts: (.+)\./.exec(page)?.[1] ?? '', /`([a-z]+)`/g)).toEqual(parts)
})

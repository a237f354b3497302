import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tables } from '../../core/cms/reference/registry.ts'
import { files } from './source.ts'

/** A text in quotes; behind the name of a member stands a colon. */
const literal = /(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")(:?)/g

/**
 * The English sentences of the service, and the names of tables and fields of the reference CMS. Those of the scripted
 * demo model are its own.
 */
export function sentencesOf(root: string): string[] {
  const sources = files(root, ['core', 'functions']).filter((path) => !path.startsWith('core/model/demo/'))
  const sentences = sources.flatMap((path) => sentencesIn(readFileSync(join(root, path), 'utf8')))
  const names = tables().flatMap(({ label, fields }) => [label.en, ...fields.map((field) => field.label.en)])
  return [...new Set([...sentences, ...names])]
}

/** The English sentences of a source: the texts of each `en:`, up to its comma or its closing brace. */
export function sentencesIn(source: string): string[] {
  return [...source.matchAll(/\ben:\s+(?=['"{])/g)].flatMap(({ index, 0: { length } }) =>
    [...valueAt(source, index + length).matchAll(literal)].flatMap(([, single, double, colon]) =>
      colon ? [] : [(single ?? double ?? '').replace(/\\(.)/g, '$1')],
    ),
  )
}

/** The literal or the object that begins there. The braces in sentences come in pairs. */
function valueAt(source: string, start: number): string {
  if (source[start] !== '{') return new RegExp(literal.source, 'y').exec(source.slice(start))?.[0] ?? ''
  let depth = 0
  for (let at = start; at < source.length; at++) {
    if (source[at] === '{') depth++
    else if (source[at] === '}' && --depth === 0) return source.slice(start, at + 1)
  }
  return ''
}

/** The values that a sentence takes. */
export function valuesOf(sentence: string): string[] {
  return [...new Set(sentence.match(/\{\w+\}/g) ?? [])].sort()
}

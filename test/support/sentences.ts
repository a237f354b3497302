import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tables } from '../../core/cms/reference/registry.ts'
import { files } from './source.ts'

const literal = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g

/**
 * The English sentences of the service that have another language beside them, and the names of tables and fields of the
 * reference CMS. Those of the scripted demo model are its own.
 */
export function sentencesOf(root: string): string[] {
  const sources = files(root, ['core', 'functions', 'packages/payload/src']).filter(
    (path) => !path.startsWith('core/model/demo/'),
  )
  const sentences = sources.flatMap((path) => sentencesIn(readFileSync(join(root, path), 'utf8')))
  const names = tables.flatMap(({ label, fields }) => [label.en, ...fields.map((field) => field.label.en)])
  return [...new Set([...sentences, ...names])]
}

/** The English sentences of a source: what stands between each `en:` and the `de:` that belongs to it. */
export function sentencesIn(source: string): string[] {
  return [...source.matchAll(/\ben: ([\s\S]*?)\bde:/g)].flatMap(([, english = '']) =>
    [...english.matchAll(literal)].map(([, single, double]) =>
      (single ?? double ?? '').replace(/\\(.)/g, '$1'),
    ),
  )
}

/** The values that a sentence takes. */
export function valuesOf(sentence: string): string[] {
  return [...new Set(sentence.match(/\{\w+\}/g) ?? [])].sort()
}

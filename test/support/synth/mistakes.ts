import { readFileSync } from 'node:fs'
import type { Planted } from './program.ts'

/** A mistake in one file, what catches it, and the kind of stage that shows it where that is not the one with everything. */
export type Mistake = [
  name: string,
  file: string,
  right: string,
  wrong: string,
  caught: string,
  kind?: 'usual',
]

type Wave = { planted: Planted; names: string[] }
type Texts = { texts: Map<string, string>; names: string[] }

/** As few plans as possible: mistakes share one unless they are about the same text. */
export function waves(mistakes: Mistake[]): Wave[] {
  const found: Texts[] = []
  for (const [name, file, right, wrong] of mistakes) {
    const original = readFileSync(file, 'utf8')
    if (!original.includes(right)) throw new Error(`${file} does not say ${right}`)
    const fits = found.find(({ texts }) => (texts.get(file) ?? original).includes(right))
    const wave: Texts = fits ?? { texts: new Map(), names: [] }
    if (!fits) found.push(wave)
    wave.texts.set(
      file,
      (wave.texts.get(file) ?? original).replace(right, () => wrong),
    )
    wave.names.push(name)
  }
  return found.map(({ texts, names }) => ({
    names,
    planted: Object.fromEntries([...texts].map(([file, text]) => [file, () => text])),
  }))
}

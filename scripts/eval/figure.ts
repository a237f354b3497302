import { inDigits, number, readings, withoutReferences } from '../../core/agent/figure.ts'

/** Finds the owner of each figure of a text. */

/** A figure and the name of its owner, such as a product; alternative names have `|` between them. */
type Owned = { is: number; of: string }

type Token = { owners: string[]; figure?: number }

/**
 * Returns the figures that the text gives to a wrong owner, such as `Vega` with 169 instead of 149. Only the figures
 * and owners in `owned` count; a figure to which the text gives no owner is no fault.
 */
export function misplaced(text: string, owned: readonly Owned[]): Owned[] {
  const given = assigned(text, owned)
  return owned.filter(({ is, of }) => {
    const all = given.filter(({ figure, owners }) => figure === is && owners.length > 0)
    const rightful = owned.filter((one) => one.is === is).map((one) => one.of)
    const isNamed = all.some(({ owners }) => owners.includes(of))
    const isForeign = all.some(({ owners }) => !owners.some((owner) => rightful.includes(owner)))
    return (all.length > 0 && !isNamed) || isForeign
  })
}

/** Returns each figure of the text with its possible owners. */
function assigned(text: string, owned: readonly Owned[]): Required<Token>[] {
  const owners = [...new Set(owned.map(({ of }) => of))]
  const figures = new Set(owned.map(({ is }) => is))
  let last: string[] = []
  return segmentsOf(inDigits(text), owners).flatMap((segment) => {
    const tokens = tokensOf(segment, owners, figures)
    const pairs = paired(runsOf(tokens), last)
    last = tokens.findLast((token) => token.figure === undefined)?.owners ?? last
    return pairs
  })
}

/** Returns the sentences, list items and table rows; each table cell gets the owners of its column. */
function segmentsOf(text: string, owners: readonly string[]): string[] {
  let heads: string[] = []
  return text.split('\n').flatMap((line) => {
    if (!/^\s*\|/.test(line)) {
      heads = []
      return line.split(/(?<=[.!?;])\s+/)
    }
    const cells = line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
    if (cells.every((cell) => /^[\s:-]*$/.test(cell))) return []
    if (heads.length === 0) {
      heads = cells
      return []
    }
    const isByColumn = heads.slice(1).some((head) => owners.some((owner) => has(head, owner)))
    return isByColumn
      ? cells.slice(1).map((cell, at) => `${heads[at + 1] ?? ''}: ${cell}`)
      : [cells.join(', ')]
  })
}

const has = (text: string, owner: string): boolean =>
  owner.split('|').some((name) => text.toLowerCase().includes(name.trim().toLowerCase()))

/** The text from a figure to an owner that follows it: `319 EUR for the ` before `Lumen`. */
const forNext =
  /^[\d.,]*\s*(?:EUR|euros?|€|cm|%)?\s*\(?(?:for|of|für|pour|beim|du|de)\s(?:(?:the|a|die|den|das|la|le)\s|l['’])?$/i

function tokensOf(text: string, owners: readonly string[], figures: ReadonlySet<number>): Token[] {
  const plain = withoutReferences(text)
  const low = plain.toLowerCase()
  const named = owners.flatMap((owner) =>
    owner
      .split('|')
      .flatMap((name) =>
        placesOf(low, name.trim().toLowerCase()).map((at) => ({ at, token: { owners: [owner] } as Token })),
      ),
  )
  const numbers = [...plain.matchAll(number)].flatMap((match) => {
    const figure = readings(match[0]).find((value) => figures.has(value))
    if (figure === undefined) return []
    const next = named.find(({ at }) => at > match.index && forNext.test(plain.slice(match.index, at)))
    return [{ at: match.index, token: { owners: next?.token.owners ?? [], figure } }]
  })
  return [...named, ...numbers].sort((one, other) => one.at - other.at).map(({ token }) => token)
}

/** Returns the positions of a name in a text. */
export function placesOf(text: string, name: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) places.push(at)
  return places
}

/**
 * Groups owners and figures in their order into runs: each run has only figures, or only owners, each owner once.
 */
function runsOf(tokens: Token[]): Token[][] {
  const runs: Token[][] = []
  for (const token of tokens) {
    const run = runs.at(-1)
    if (!run || isFigure(run[0]) !== isFigure(token)) runs.push([token])
    else if (isFigure(token) || run.every((one) => one.owners[0] !== token.owners[0])) run.push(token)
  }
  return runs
}

const isFigure = (token: Token | undefined) => token?.figure !== undefined

/**
 * Returns the figures with their owners: the owners of the run before, or of the run after if figures come first. If
 * the figures are as many as the owners, or a multiple, they belong to the owners in turn.
 */
function paired(runs: Token[][], last: string[]): Required<Token>[] {
  const isInFront = isFigure(runs[0]?.[0]) && !isFigure(runs.at(-1)?.[0])
  return runs.flatMap((run, at) => {
    if (!isFigure(run[0])) return []
    const before = runs[at - 1]?.flatMap(({ owners }) => owners)
    const behind = runs[at + 1]?.flatMap(({ owners }) => owners)
    const near = isInFront ? behind : before
    const all = near ?? (last.length > 0 ? last : (behind ?? []))
    const isOneByOne = all.length > 1 && near !== undefined && run.length % all.length === 0
    const shared = isInFront && at === 0 ? [...all, ...last] : all
    return run.map(({ figure = 0, owners }, nth) => {
      if (owners.length > 0) return { figure, owners }
      return { figure, owners: isOneByOne ? [all[nth % all.length] ?? ''] : shared }
    })
  })
}

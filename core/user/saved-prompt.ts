import { ulid } from 'ulid'
import * as z from 'zod'
import type { Actor } from '../base/actor.ts'
import { item, json, number, type Of } from '../base/aws/item.ts'
import type { Key } from '../base/aws/table.ts'
import * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import { own as ownValue } from '../base/json.ts'
import { has } from '../stage/settings/group.ts'
import type { Settings } from '../stage/settings/schema.ts'
import { maxPrompts, SavedPrompt } from './schema.ts'

/** The stored prompts of a user: one item below its owner, so that an export contains it and an erasure finds it. */
export const codec = item('saved prompts', 1, {
  prompts: json('prompts', z.array(SavedPrompt), []),
  version: number('version', 0),
})
type SavedPrompts = Of<typeof codec.fields>

/** Key of a user's prompts. */
const key = (uid: number): Key => ({ pk: `user#${uid}`, sk: 'prompts' })

/** A prompt for use: the text that goes into the message. */
export type Shared = { title: string; text: string }

/** The stage's prompts for the actor's groups, of this module if one is named, in the order of the settings. */
export const shared = (actor: Actor, { prompts }: Settings, module?: string): Shared[] =>
  prompts
    .filter(({ groups, modules: own }) => {
      const suits = own.length === 0 || module === undefined || own.includes(module)
      return has(groups, actor) && suits
    })
    .map(({ title, text }) => ({ title, text }))

const variable = /\{([\p{L}\p{N}][\p{L}\p{N} _-]{0,39})\}/gu

/** The variables of a prompt, each once, in their order, as the interface finds them. */
export const variablesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(variable)].map(([, name]) => name ?? '')),
]

/** A prompt with a value in the place of each variable; one without a value stays as it is. */
export const filledIn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(variable, (whole, name: string) => ownValue(values, name) || whole)

/** Reads the actor's own prompts, sorted by title. */
export const own = async (actor: Actor): Promise<SavedPrompt[]> => (await read(actor)).prompts

/**
 * Saves a prompt: replaces the one with its id, or adds a new one without an id. Answers all of the actor's prompts.
 */
export function save(
  actor: Actor,
  { id, title, text }: Shared & { id?: string | undefined },
  now: number,
): Promise<SavedPrompt[]> {
  return change(actor, (prompts) => {
    if (id !== undefined && !prompts.some((prompt) => prompt.id === id))
      throw new VisibleError('prompt.notFound')
    if (id === undefined && prompts.length >= maxPrompts)
      throw new VisibleError('prompt.tooMany', { params: { max: maxPrompts } })
    const saved = { id: id ?? ulid(now).toLowerCase(), title, text }
    return [...prompts.filter((prompt) => prompt.id !== id), saved]
  })
}

/** Deletes a prompt, if it exists. Answers all of the actor's prompts. */
export const remove = (actor: Actor, id: string): Promise<SavedPrompt[]> =>
  change(actor, (prompts) => prompts.filter((prompt) => prompt.id !== id))

async function read(actor: Actor): Promise<SavedPrompts> {
  return codec.decode((await Table.get(key(actor.uid))) ?? {})
}

/** Stores a change of the list; after a lost race it reads the list again and retries. */
async function change(actor: Actor, edit: (prompts: SavedPrompt[]) => SavedPrompt[]): Promise<SavedPrompt[]> {
  for (;;) {
    const { prompts: before, version } = await read(actor)
    const prompts = edit(before).sort((a, b) => (a.title < b.title ? -1 : 1))
    const row = { ...key(actor.uid), ...codec.encode({ prompts, version: version + 1 }) }
    // A damaged version is no number and equals none, so the change replaces the stored list.
    const condition = '#version = :version OR NOT attribute_type(#version, :number)'
    const names = { '#version': codec.attributes.version }
    const values = { ':version': version, ':number': 'N' }
    if (await Table.put(row, { condition, names, values })) return prompts
  }
}

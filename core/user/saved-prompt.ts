import { ulid } from 'ulid'
import * as z from 'zod'
import type { Actor } from '../base/actor.ts'
import { item, json, number } from '../base/aws/item.ts'
import * as Table from '../base/aws/table.ts'
import { VisibleError } from '../base/error.ts'
import { own as ownValue } from '../base/json.ts'
import { has } from '../stage/settings/group.ts'
import type { Settings } from '../stage/settings/schema.ts'
import { maxPrompts, SavedPrompt } from './schema.ts'

/** The stored form of a user's prompts: one item in the user's partition, where exports and erasures find it. */
export const codec = item('saved prompts', 1, {
  prompts: json('prompts', z.array(SavedPrompt), []),
  version: number('version', 0),
})

/** Returns the table key of a user's prompts. */
const key = (uid: number): Table.Key => ({ pk: `user#${uid}`, sk: 'prompts' })

/** A prompt to insert: its title, and the text for the message. */
export type Shared = { title: string; text: string }

/**
 * Returns the stage's prompts for the actor's groups, in the order of the settings. If a module is given, leaves out
 * prompts that are only for other modules.
 */
export const shared = (actor: Actor, { prompts }: Settings, module?: string): Shared[] =>
  prompts
    .filter(({ groups, modules: own }) => {
      const suits = own.length === 0 || module === undefined || own.includes(module)
      return has(groups, actor) && suits
    })
    .map(({ title, text }) => ({ title, text }))

const variable = /\{([\p{L}\p{N}][\p{L}\p{N} _-]{0,39})\}/gu

/** Returns the distinct variables of a prompt in order; the interface uses the same pattern. */
export const variablesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(variable)].map(([, name]) => name ?? '')),
]

/** Returns the prompt with each variable replaced by its value; a variable without a value stays unchanged. */
export const filledIn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(variable, (whole, name: string) => ownValue(values, name) || whole)

/** Returns the actor's own prompts, sorted by title. */
export const own = async (actor: Actor): Promise<SavedPrompt[]> => (await read(actor)).prompts

/**
 * Saves a prompt and returns all prompts of the actor. Replaces the prompt with the given id, or adds a new one without
 * an id. Rejects with `prompt.notFound` or `prompt.tooMany`.
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

/** Deletes a prompt if it exists, and returns all prompts of the actor. */
export const remove = (actor: Actor, id: string): Promise<SavedPrompt[]> =>
  change(actor, (prompts) => prompts.filter((prompt) => prompt.id !== id))

async function read(actor: Actor) {
  return codec.decode((await Table.get(key(actor.uid))) ?? codec.encode(codec.empty))
}

/** Stores a change of the list; reads again and retries if another request changed the list first. */
async function change(actor: Actor, edit: (prompts: SavedPrompt[]) => SavedPrompt[]): Promise<SavedPrompt[]> {
  for (;;) {
    const { prompts: before, version } = await read(actor)
    const prompts = edit(before).sort((a, b) => (a.title < b.title ? -1 : 1))
    const row = { ...key(actor.uid), ...codec.encode({ prompts, version: version + 1 }) }
    // A damaged version is not a number: the condition also lets the change replace a list with a damaged version.
    const condition = '#version = :version OR NOT attribute_type(#version, :number)'
    const write = Table.putWrite(row, { condition, values: { ':version': version, ':number': 'N' } })
    if (await Table.writeOnce(write)) return prompts
  }
}

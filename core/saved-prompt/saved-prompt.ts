import { ulid } from 'ulid'
import type { Actor } from '../actor.ts'
import * as Table from '../aws/table.ts'
import { VisibleError } from '../error.ts'
import { has } from '../settings/group.ts'
import type { Settings } from '../settings/schema.ts'
import { codec, key, type SavedPrompts } from './item.ts'
import { maxPrompts, type SavedPrompt } from './schema.ts'

/** A prompt as it is used: the text that goes into the message. */
export type Shared = { title: string; text: string }

/** The prompts of the stage that are for the groups of the actor and for this module, in the order of the settings. */
export const shared = (actor: Actor, { prompts }: Settings, module: string): Shared[] =>
  prompts
    .filter(({ groups, modules }) => has(groups, actor) && (modules.length === 0 || modules.includes(module)))
    .map(({ title, text }) => ({ title, text }))

/** The prompts that the actor keeps, by title. */
export const own = async (actor: Actor): Promise<SavedPrompt[]> => (await read(actor)).prompts

/** Keeps a prompt, in the place of the one with its id; a new one without. Answers all that the actor keeps. */
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

/** Forgets a prompt; one that is gone already is no error. Answers all that the actor keeps. */
export const remove = (actor: Actor, id: string): Promise<SavedPrompt[]> =>
  change(actor, (prompts) => prompts.filter((prompt) => prompt.id !== id))

async function read(actor: Actor): Promise<SavedPrompts> {
  return codec.decode((await Table.get(key(actor.uid))) ?? {})
}

/** Stores a change of the list, again on a fresh read while another request is quicker. */
async function change(actor: Actor, edit: (prompts: SavedPrompt[]) => SavedPrompt[]): Promise<SavedPrompt[]> {
  for (;;) {
    const { prompts: before, version } = await read(actor)
    const prompts = edit(before).sort((a, b) => (a.title < b.title ? -1 : 1))
    const row = { ...key(actor.uid), ...codec.encode({ prompts, version: version + 1 }) }
    // A version that is damaged is no number, and equals none: what is stored replaces it.
    const condition = '#version = :version OR NOT attribute_type(#version, :number)'
    const names = { '#version': codec.attributes.version }
    const values = { ':version': version, ':number': 'N' }
    if (await Table.put(row, { condition, names, values })) return prompts
  }
}

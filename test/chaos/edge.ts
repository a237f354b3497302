import { AsyncLocalStorage } from 'node:async_hooks'
import * as Table from '../../core/base/aws/table.ts'
import type { Cms } from '../../core/cms/cms.ts'
import * as Queue from '../../core/conversation/queue.ts'
import * as Store from '../../core/file/store.ts'

/**
 * The edges of the product: every request to table, queue and store, every call of the model and of the CMS is an
 * effect of the process that makes it, and can be the last thing that this process does. A dead process stays dead:
 * whatever it still attempts never happens and never returns, as with a machine that is gone. A frozen one comes back.
 */

/** When a process ends at an effect: before it, after it, or frozen before it until `thaw` lets everything go on. */
export type Side = 'before' | 'after' | 'frozen'

/** Decides at each effect, named like `dynamodb TransactWrite conversation+message`, whether the process ends there. */
export type Fate = (effect: string) => Side | undefined

/** How a process ended; `thaw` lets one that is frozen go on, and resolves when it has ended after all. */
export type Ended<T> =
  | { died: false; value: T }
  | { died: true; at: string; thaw: (() => Promise<T>) | undefined }

type Process = {
  fate: Fate
  death: PromiseWithResolvers<string>
  isDead: boolean
  isFrozen: boolean
  thawed: PromiseWithResolvers<void>
}

const processes = new AsyncLocalStorage<Process | undefined>()

/** Runs `act` as a process with this fate. Rejects as `act` does; resolves when it has ended, or has died. */
export async function living<T>(fate: Fate, act: () => Promise<T>): Promise<Ended<T>> {
  const process: Process = {
    fate,
    death: Promise.withResolvers(),
    isDead: false,
    isFrozen: false,
    thawed: Promise.withResolvers(),
  }
  const acting = processes.run(process, act)
  const died = process.death.promise.then((at): Ended<T> => {
    acting.catch(() => undefined)
    const thaw = () => {
      process.isDead = false
      process.thawed.resolve()
      return acting
    }
    return { died: true, at, thaw: process.isFrozen ? thaw : undefined }
  })
  return Promise.race([acting.then((value): Ended<T> => ({ died: false, value })), died])
}

/** Runs the work of another process, although it is called from within this one. */
export function outside<T>(act: () => T): T {
  return processes.run(undefined, act)
}

/** Does something to the world outside as an effect of the process that it is called in, if it is called in one. */
export async function effect<T>(name: string, act: () => Promise<T>): Promise<T> {
  const process = processes.getStore()
  if (!process) return act()
  if (process.isDead) await process.thawed.promise
  const side = process.fate(name)
  if (side === undefined) {
    const value = await act()
    // The process died meanwhile in another of its effects: nothing is left that could take the answer.
    if (process.isDead) await process.thawed.promise
    return value
  }
  if (side === 'after') {
    await act().catch(() => undefined)
    return die(process, name)
  }
  if (side === 'before') return die(process, name)
  process.isFrozen = true
  process.isDead = true
  process.death.resolve(name)
  await process.thawed.promise
  return act()
}

function die(process: Process, name: string): Promise<never> {
  process.isDead = true
  process.death.resolve(name)
  return new Promise<never>(() => undefined)
}

/** Makes every request of the SDK's clients an effect. Once per test file. */
export function watchClients(): void {
  watch(Table.documents(), 'dynamodb')
  watch(Queue.client(), 'sqs')
  watch(Store.client(), 's3')
}

type Middle = (next: (args: Args) => Promise<unknown>, context: Context) => (args: Args) => Promise<unknown>
type Args = { input: object }
type Context = { commandName?: string }
type Stack = { middlewareStack: { add(middle: never, options: object): void } }

function watch({ middlewareStack }: Stack, service: string): void {
  const middle: Middle = (next, { commandName = '' }) => {
    const command = commandName.replace('Command', '')
    return (args) => effect(`${service} ${command}${itemsOf(args.input)}`, () => next(args))
  }
  middlewareStack.add(middle as never, { step: 'initialize', name: 'edge', priority: 'high' })
}

/** The CMS with every call an effect. */
export function watchedCms(cms: Cms): Cms {
  const watched = Object.entries(cms).map(([name, member]) => [
    name,
    typeof member === 'function'
      ? (...args: never[]) => effect(`cms ${name}`, () => (member as (...args: never[]) => never)(...args))
      : member,
  ])
  return Object.fromEntries(watched)
}

/**
 * True if an effect changes something outside of the process, or costs something. The last seen state of a tool server
 * does not count: its time decides if a turn stores it, and a later turn stores it again.
 */
export function changes(name: string): boolean {
  if (name === 'dynamodb PutItem server') return false
  return /^(?:model|cms (?:put|settle)|(?:dynamodb|sqs|s3) (?!BatchGet|Get|Query|Head|List|Receive))/.test(
    name,
  )
}

type Item = { Key?: Row; Item?: Row }
type Row = Record<string, unknown>

/** What kinds of items a write touches, so that a test can say where it cut. */
function itemsOf(input: object): string {
  const { TransactItems } = input as { TransactItems?: Record<string, Item>[] }
  const items = TransactItems ? TransactItems.flatMap((write) => Object.values(write)) : [input as Item]
  const kinds = items.flatMap(({ Key, Item }) => kindOf(Key ?? Item))
  return kinds.length > 0 ? ` ${[...new Set(kinds)].join('+')}` : ''
}

function kindOf(row: Row | undefined): string[] {
  if (!row || typeof row !== 'object' || !('sk' in row)) return []
  const text = (value: unknown) => (typeof value === 'string' ? value : String((value as { S: string }).S))
  const [kind = ''] = text(row.sk).split('#')
  return [/^[0-9]+$/.test(kind) ? (text(row.pk).split('#')[0] as string) : kind]
}

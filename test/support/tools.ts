import { afterAll } from 'vitest'
import type { Actor } from '../../core/base/actor.ts'
import { config } from '../../core/base/config.ts'
import type { Change } from '../../core/cms/change.ts'
import type { Cms } from '../../core/cms/cms.ts'
import { reference } from '../../core/cms/reference/reference.ts'
import type { RecordId } from '../../core/conversation/schema.ts'
import type { CallResult } from '../../core/conversation/transcript/result.ts'
import { siteFile } from '../../core/file/site-files.ts'
import { run } from '../../core/tool/run.ts'
import type { ReadTool, ToolContext } from '../../core/tool/tool.ts'
import { find } from '../../core/tool/tools.ts'
import { seed } from '../../infra/local/seed/seed.ts'
import { makeChange, showChange } from '../support/put.ts'

export const now = Date.parse('2026-11-20T12:00:00Z')
export const nonce = 'f'.repeat(24)

/** The seeded site, and tools called on it as its users. */
export type Bench = {
  cms: Cms
  actors: Record<'admin' | 'editor' | 'autorin', Actor>
  /** The result of a call as the model gets it, the fence taken off. */
  ask(
    who: keyof Bench['actors'],
    tool: string,
    args?: unknown,
    over?: Partial<ToolContext>,
  ): Promise<CallResult>
  /** Has the CMS do a write as an administrator, without the chat. */
  write(write: Change, correlationId?: string): Promise<RecordId>
}

/** A bench for a test file; the seed is put into the file's own table. */
export async function bench(): Promise<Bench> {
  const table = config().cmsTable as string
  await seed({ table }, now)
  const cms = reference({ table, clock: () => now, file: siteFile })
  const [admin, editor, autorin] = await Promise.all([1, 2, 3].map((uid) => cms.user(uid)))
  const actors = { admin, editor, autorin } as Bench['actors']
  const leftOver: unknown[] = []
  let writes = 0
  afterAll(() => {
    if (leftOver.length > 0) throw leftOver[0]
  })
  return {
    cms,
    actors,
    async ask(who, tool, args = {}, over = {}) {
      const context = contextOf(cms, actors[who], over)
      const result = await run(find(tool) as ReadTool, args, context, {
        nonce,
        log: (error) => leftOver.push(error),
      })
      return { ...result, text: result.text.split('\n').slice(1, -1).join('\n') }
    },
    async write(write, correlationId = 'by-hand') {
      const { versions } = await showChange(cms, actors.admin, write, [])
      const options = { key: `${correlationId}/${++writes}`, correlationId, versions, now: now + writes }
      const outcome = await makeChange(cms, actors.admin, write, options)
      if (outcome.state !== 'done') throw new Error(`The write ended as ${outcome.state}`)
      return outcome.uid
    },
  }
}

export function contextOf(cms: Cms, actor: Actor, over: Partial<ToolContext> = {}): ToolContext {
  return {
    actor,
    cms,
    now,
    signal: new AbortController().signal,
    files: async () => [],
    operations: async () => ({}),
    ...over,
  }
}

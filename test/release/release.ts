import type { Clock } from '../../core/base/clock.ts'
import { config } from '../../core/base/config.ts'
import { reference } from '../../core/cms/reference/reference.ts'
import type { Job } from '../../core/conversation/queue.ts'
import { createModel } from '../../core/model/create.ts'
import { chosen } from '../../core/model/fallback.ts'
import { check } from '../../core/stage/settings/check.ts'
import { apply } from '../../core/stage/settings/settings.ts'
import { consume } from '../../core/turn/consume.ts'
import * as Cleanup from '../../core/watch/cleanup/cleanup.ts'
import { routes as connections, programRoutes } from '../../functions/connections.ts'
import { routes as conversations } from '../../functions/conversations.ts'
import { http } from '../../functions/http/http.ts'
import type { Handler } from '../../functions/http/route.ts'
import { routes as mcp } from '../../functions/mcp.ts'
import { routes as poll } from '../../functions/poll.ts'
import { sessionRoutes } from '../../functions/routes/session.ts'
import { routes as send } from '../../functions/send.ts'
import { routes as status } from '../../functions/status.ts'
import { routes as upload } from '../../functions/upload.ts'

/**
 * What a release is to its neighbours: functions over the stored data and the queue. `npm run release:keep` bundles it
 * as `previous.mjs`, against which the next release is tested.
 */
export type Release = {
  /** All web functions. */
  handler: Handler
  /** Works on a job; how the turn ended. */
  consume(job: Job): Promise<unknown>
  /** One run of cleanup, at the time of the clock. */
  cleanUp(): Promise<unknown>
  /** Stores settings as a deploy does. Throws where they are not valid. */
  apply(settings: unknown): Promise<unknown>
}

const web = {
  ...programRoutes,
  ...connections,
  ...conversations,
  ...mcp,
  ...poll,
  ...send,
  ...status,
  ...upload,
}

/** Starts the release in this process; its models are asked with this key. */
export function start(clock: Clock, key: string): Release {
  const live = {
    clock,
    cms: reference({ table: config().cmsTable ?? '', clock: clock.now }),
    model: (resolved: Parameters<typeof chosen>[0]) =>
      chosen(resolved, (provider, model, share) => createModel(provider, model, key, share)),
  }
  return {
    handler: http({ ...sessionRoutes, ...web }, () => live),
    consume: (job) => consume(live, job, { remainingMs: () => Number.POSITIVE_INFINITY }),
    cleanUp: () => Cleanup.run(live, { now: clock.now() }),
    apply: async (input) => {
      const { settings, mistakes } = check(input)
      if (!settings) throw new Error(JSON.stringify(mistakes))
      await apply(settings)
    },
  }
}

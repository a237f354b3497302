import * as Table from '../../core/base/aws/table.ts'
import * as Transcript from '../../core/conversation/transcript/transcript.ts'
import * as Waiting from '../../core/conversation/waiting.ts'
import type { Model } from '../../core/model/model.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { dayOf } from '../../core/stage/usage/budget.ts'
import * as Usage from '../../core/stage/usage/item.ts'
import { attach, mentionsOf } from './attached.ts'
import type { Site } from './site.ts'
import { type Sitting, storedConversation, talk } from './sitting.ts'
import type { Facts, Task } from './task.ts'
import { withParts } from './task-parts.ts'
import { lastAnswer, spentIn, workOf } from './work.ts'

/** Lets a model work on a task for which the site is prepared, and which has the site for itself; what it leaves behind. */
export async function attempt(task: Task, site: Site, model: Model, settings: Settings): Promise<Facts> {
  const startedAt = performance.now()
  const clock = site.clock()
  const actor = await site.actor(task.user)
  const sitting: Sitting = {
    live: { clock, cms: task.stage?.parts ? withParts(site.cms) : site.cms, model: async () => model },
    task,
    starter: () => ({ actor, settings, now: clock.now(), seen: Waiting.nothing, request: undefined }),
    answers: [...task.answers],
    questions: [],
    decisions: 0,
    runIds: new Set(),
  }
  const fileUid = task.file && (await attach(task.file, sitting.starter(), model))
  const mentions = mentionsOf(task, await site.cms.capabilities())
  if (settings.dailyTokensPerUser !== null) await forgetUsage(actor.uid, clock.now())
  let id: string | undefined
  for (const [nth, content] of task.messages.entries())
    id = await talk(sitting, id, nth === 0 ? { content, fileUid, mentions } : { content })
  if (!id) throw new Error(`The task ${task.id} has no message.`)
  const it = await storedConversation(id)
  const { messages } = await Transcript.part(it, 0, it.messageCount, false)
  return {
    status: it.status,
    errorCode: it.errorCode ?? null,
    answer: lastAnswer(messages),
    ...workOf(messages),
    questions: sitting.questions,
    decisions: sitting.decisions,
    changes: await site.finish(task),
    ...(await spentIn(it, [...sitting.runIds])),
    ms: Math.round(performance.now() - startedAt),
    transcript: messages,
  }
}

/** Removes what other tasks have used of the day's tokens. */
const forgetUsage = (uid: number, now: number) => Table.remove(Usage.key(uid, dayOf(now)))

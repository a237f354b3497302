import { readFileSync } from 'node:fs'
import { secret } from '../../core/base/config.ts'
import { sha256 } from '../../core/base/hash.ts'
import { lazy } from '../../core/base/lazy.ts'
import { version } from '../../core/base/version.ts'
import { createModel } from '../../core/model/create.ts'
import type { Model } from '../../core/model/model.ts'
import type { Prices, Settings } from '../../core/stage/settings/schema.ts'
import { resolve } from '../../core/stage/settings/settings.ts'
import { UsageError } from '../command.ts'
import { anyone, frameOf, type Ground, seededGround } from './ground.ts'
import type { About } from './report.ts'
import { type Quality, scripted, scriptedFor } from './scripted.ts'
import type { Task } from './task.ts'

/** The subject of a measurement: a model, with the settings with which the service uses it. */
export type Subject = {
  about: About
  settings: Settings
  prices: Prices | null
  /** Returns the model for a task. A scripted model differs for each task, and does nothing without one. */
  model(task?: Task): Promise<Model>
}

/** The differences of a subject from the settings of its stage. */
export type Choice = {
  name?: string | undefined
  /** The uids of a task and of a model in the settings, instead of the defaults. */
  task?: number | undefined
  model?: number | undefined
  /** The system prompt, instead of the configuration's prompt. */
  prompt?: string | undefined
}

/**
 * Returns the settings for tasks on the seeded site. Every user has the measured configuration, and no cap refuses a
 * task. No fallback model answers, and no MCP server is asked.
 */
function settingsFor(settings: Settings, { task, model, prompt }: Choice = {}): Settings {
  const llmTaskUid = task ?? settings.llmTaskUid
  const chosen = settings.tasks.find(({ uid }) => uid === llmTaskUid)
  const changed = {
    ...(model !== undefined && { model }),
    ...(prompt !== undefined && { system_prompt: prompt }),
  }
  return {
    ...settings,
    llmTaskUid,
    groupTaskMapping: [],
    allowedGroups: [],
    maxActiveConversations: null,
    maxConversationsPerUser: null,
    maxUnsentFilesPerUser: null,
    dailyTokensPerUser: null,
    maintenance: false,
    refuseAfterWaitMs: null,
    mcpServers: [],
    accessTokens: null,
    exchange: null,
    models: settings.models.map((row) => ({ ...row, fallback: null })),
    configurations: settings.configurations.map((row) =>
      row.uid === chosen?.configuration ? { ...row, ...changed, allowedGroups: [] } : row,
    ),
  }
}

/** Returns the subject that the settings describe. Throws UsageError if their configuration is incomplete. */
export function subjectOf(
  given: Settings,
  choice: Choice,
  tasks: readonly Task[],
  ground: Ground = seededGround(),
): Subject {
  const settings = settingsFor(given, choice)
  const { resolved, missing } = resolve(settings, anyone)
  if (!resolved) throw new UsageError(missing)
  const { provider, model, configuration } = resolved
  const { effort, thinking, maxTokens } = configuration
  const of = { provider: provider.name, model: model.modelId }
  // The digest includes everything that the model gets before any task, for each user of the tasks.
  const none = scripted([], 'perfect')
  const frames = ground.actors.map((actor) => frameOf(settings, actor, none, ground))
  return {
    about: {
      name: choice.name ?? model.modelId,
      ...of,
      effort,
      thinking,
      maxTokens,
      consent: null,
      release: version,
      digest: digest([version, of, resolved, frames, ground, tasks, judgeCode()]),
    },
    settings,
    prices: model.prices,
    model: lazy(() => createModel(provider, model, provider.secret ? secret(provider.secret) : undefined)),
  }
}

/** Returns a scripted model as a subject. Everything except the model follows the settings. */
export function scriptedSubject(
  given: Settings,
  quality: Quality,
  tasks: readonly Task[],
  ground?: Ground,
): Subject {
  const { settings, about } = subjectOf(given, { name: quality }, tasks, ground)
  const of = { provider: 'Scripted', model: `demo-${quality}` }
  return {
    about: { ...about, ...of, digest: digest([about.digest, of]) },
    settings,
    prices: null,
    model: async (task) => (task ? scriptedFor(task, quality) : scripted([], quality)),
  }
}

/** The names of the source files that influence a result. */
const judging =
  'judge figure ../../core/agent/figure wording attempt sitting site visit belongings scripted replay'.split(
    ' ',
  )
const judgeCode = () => judging.map((file) => readFileSync(new URL(`${file}.ts`, import.meta.url), 'utf8'))

const digest = (parts: unknown): string => sha256(JSON.stringify(parts)).slice(0, 16)

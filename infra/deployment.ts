import { existsSync, readFileSync } from 'node:fs'
import * as z from 'zod'
import { check, type Mistake } from '../core/settings/check.ts'
import type { Settings } from '../core/settings/schema.ts'

/**
 * What a stage is made of, apart from its settings: `infra/deployments/<stage>.json`. A stage without files of its own,
 * such as that of one developer, is made like `dev`.
 */
export const Deployment = z.strictObject({
  /** `exec`: a function is started for each turn. `worker`: Fargate tasks take the turns; they cost while they wait. */
  processing: z.enum(['exec', 'worker']),
  /** The stage's own name, with a hosted zone in Route 53; null: the name that CloudFront gives. */
  domain: z.string().min(1).nullable(),
  /** A CMS elsewhere that speaks the bridge, and the id of the key that signs; null: the reference CMS. */
  cms: z.strictObject({ url: z.url(), key: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) }).nullable(),
  /** Origins of pages that may show the backend in a frame. */
  frameAncestors: z.array(z.url()),
  /** Who hears of alarms; null: they are to be looked at in the console. */
  alarmEmail: z.email().nullable(),
  /** A month that is forecast to cost more is an alarm, in US dollars; null: no budget. */
  monthlyBudgetDollars: z.number().positive().nullable(),
})
export type Deployment = z.infer<typeof Deployment>

/** The deployment of a stage, from the root of the project. Throws with the path of each mistake. */
export function readDeployment(stage: string): Deployment {
  const file = fileOf('infra/deployments', stage)
  const parsed = Deployment.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (parsed.success) return parsed.data
  throw new Error(`${file} is not valid:\n${z.prettifyError(parsed.error)}`)
}

/** The settings and AI configuration of a stage, from the root of the project. Throws with the path of each mistake. */
export function readSettings(stage: string): Settings {
  const file = fileOf('infra/stages', stage)
  const checked = check(JSON.parse(readFileSync(file, 'utf8')))
  if (checked.settings) return checked.settings
  throw new Error(`${file} is not valid:\n${checked.mistakes.map(told).join('\n')}`)
}

const told = ({ path, message }: Mistake) => `  ${path}: ${message}`

function fileOf(folder: string, stage: string): string {
  const own = `${folder}/${stage}.json`
  return existsSync(own) ? own : `${folder}/dev.json`
}

import * as z from 'zod'
import { Provider } from '../../core/stage/settings/schema.ts'

/** A claim as people write it: evidence is a path of the repository, and figures are in braces. */
export const Claim = z.strictObject({
  id: z.string(),
  label: z.string(),
  detail: z.string().optional(),
  state: z.enum(['planned', 'experimental', 'implemented', 'measured']).optional(),
  evidence: z.string().optional(),
})
export type Claim = z.infer<typeof Claim>

const Evidence = z.strictObject({ type: z.string(), label: z.string().optional(), path: z.string() })

/** A figure of README.md, with the command that reproduces it. */
const Figure = z.strictObject({ figure: z.string(), value: z.string(), command: z.string() })

/** `claims.json`: all of the manifest that no other file of the repository says. */
export const Claims = z.strictObject({
  name: z.string(),
  slug: z.string().nullable(),
  stage: z.string(),
  last_verified: z.string(),
  owner: z.string(),
  /** The CMSs that the tests of the repository run, with their versions. */
  cms_versions: z.array(z.string()),
  /** The services that each adapter connects to. */
  providers: z.record(Provider.shape.adapter, z.string()),
  capabilities: z.array(Claim),
  security_controls: z.array(Claim),
  cost_controls: z.array(Claim),
  evidence: z.array(Evidence),
  /** The AI capability card without its models, which the stage files name. */
  ai: z.looseObject({}),
  /** The table of figures in README.md. */
  figures: z.array(Figure),
})
export type Claims = z.infer<typeof Claims>

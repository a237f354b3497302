import * as z from 'zod'
import { StoreError } from './aws-signature.ts'

/** The fields of a form before its file, by lower-case name, and the size of the file in bytes. */
export type Form = { bucket: string; fields: Map<string, string>; size: number }

const Exact = z.record(z.string(), z.string())
const Compared = z.tuple([z.enum(['eq', 'starts-with']), z.string().startsWith('$'), z.string()])
const Sized = z.tuple([z.literal('content-length-range'), z.coerce.number(), z.coerce.number()])
const Policy = z.object({
  expiration: z.iso.datetime(),
  conditions: z.array(z.union([Exact, Compared, Sized])),
})

/** Fields that need no condition, as S3 has it. */
const free = /^(x-amz-signature|policy|file|x-ignore-.*)$/

/**
 * Checks a form against its policy as S3 does: not expired, every condition holds, and no field is without one. The
 * caller has checked the signature. Throws StoreError.
 */
export function checkPolicy(encoded: string, form: Form, now: number): void {
  const policy = parsePolicy(encoded)
  if (Date.parse(policy.expiration) <= now)
    throw new StoreError(403, 'AccessDenied', 'Invalid according to Policy: Policy expired.')
  const value = (name: string) => (name === 'bucket' ? form.bucket : form.fields.get(name))
  const covered = new Set<string>()
  for (const condition of policy.conditions) {
    if (Array.isArray(condition) && condition[0] === 'content-length-range') {
      checkSize(form.size, condition[1], condition[2])
      continue
    }
    for (const [isPrefix, field, wanted] of comparisons(condition)) {
      const name = field.toLowerCase()
      covered.add(name)
      const given = value(name)
      const holds = isPrefix ? given?.startsWith(wanted) : given === wanted
      if (!holds) throw new StoreError(403, 'AccessDenied', `Invalid according to Policy: ${field}`)
    }
  }
  for (const name of form.fields.keys())
    if (!free.test(name) && !covered.has(name))
      throw new StoreError(403, 'AccessDenied', `Invalid according to Policy: Extra input field: ${name}`)
}

function comparisons(
  condition: z.infer<typeof Exact> | z.infer<typeof Compared>,
): [boolean, string, string][] {
  if (Array.isArray(condition)) return [[condition[0] === 'starts-with', condition[1].slice(1), condition[2]]]
  return Object.entries(condition).map(([name, wanted]) => [false, name, wanted])
}

function checkSize(size: number, min: number, max: number): void {
  if (size < min) throw new StoreError(400, 'EntityTooSmall', 'Your proposed upload is too small')
  if (size > max) throw new StoreError(400, 'EntityTooLarge', 'Your proposed upload is too large')
}

function parsePolicy(encoded: string): z.infer<typeof Policy> {
  try {
    return Policy.parse(JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')))
  } catch {
    throw new StoreError(400, 'InvalidPolicyDocument', 'The policy cannot be read.')
  }
}

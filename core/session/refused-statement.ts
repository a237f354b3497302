import { errors } from 'jose'
import * as z from 'zod'
import { VisibleError } from '../error.ts'
import * as Log from '../log.ts'

/** What is wrong with a claim that is missing, of another kind, or not what the stage knows. */
const faults: Record<string, string> = {
  iss: 'iss is not the issuer in the settings of the stage; with a pairing it is the id of the key',
  aud: 'aud is not the audience in the settings of the stage; with a pairing it is ai-chat',
  sub: 'sub is not the id of a user as a text',
  jti: 'jti is not a text of 1 to 255 characters',
  exp: 'exp is not a number of seconds',
  nbf: 'nbf is in the future',
  sid: 'sid is not a text of 1 to 255 characters',
  use: 'use is neither absent nor end',
}

/**
 * Why a statement does not verify, in words for the operator: names of claims, and nothing that the statement says but
 * its times. `error` is what its verification threw; `now` is milliseconds since the epoch.
 */
export function reasonOf(error: unknown, now: number): string {
  if (error instanceof errors.JWTExpired)
    return `exp was ${Math.round(now / 1000 - Number(error.payload.exp))} s ago`
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return 'another key signed it than the exchange key of the stage'
  if (error instanceof errors.JOSEAlgNotAllowed) return 'its algorithm is not HS256'
  if (error instanceof errors.JWTClaimValidationFailed) return faultOf(error.claim)
  if (error instanceof z.ZodError) return faultOf(String(error.issues[0]?.path[0]))
  return 'it is no JWT'
}

/**
 * What the caller gets for a statement that begins or ends nothing. The reason is for the operator: it is logged, it is
 * the `cause`, and it is in no answer.
 */
export function refused(reason: string): VisibleError {
  Log.warn('A statement of the CMS is refused', { reason })
  return new VisibleError('login.failed', { cause: reason })
}

const faultOf = (claim: string) => faults[claim] ?? `${claim} is not as it has to be`

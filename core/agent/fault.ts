import type { CallOutcome } from '../conversation/transcript/schema.ts'
import type { ModelFailure } from '../model/model.ts'

/** Why a step has no result: the outcome of its call, or why the model gave no answer. */
export type StepFault = Exclude<CallOutcome, 'done'> | ModelFailure

const rejected = 'The provider of the language model rejected the request.'

const sentences: Record<StepFault, string> = {
  notKnown: 'There is no such tool.',
  notPermitted: 'The call was not permitted.',
  notValid: 'The arguments of the call were not valid.',
  refused: 'The call was refused.',
  missing: 'The call was refused.',
  denied: 'The call was denied.',
  notRun: 'The call was not run.',
  conflict: 'The call was refused.',
  unknown: 'The call was refused.',
  failed: 'The tool failed.',
  'model.unavailable': 'The language model did not answer.',
  'model.unpaid': 'The account with the provider of the language model has no credit left.',
  'model.rejected': rejected,
  'model.unauthorized': rejected,
  'model.tooLarge': rejected,
}

/** The fixed sentence of `activity` about such a step; it never has words of a tool, an argument or an error. */
export const faultSentence = (fault: StepFault): string => sentences[fault]

import * as z from 'zod'
import { asks } from '../tool.ts'

/** The maximum number of choices of a question, because the user can choose each with a digit key. */
const maxChoices = 9

/** `ask_user`: asks the user a question; the answer is the result. */
export const askUser = asks({
  name: 'ask_user',
  sign: 'info',
  en: { title: 'Ask you', did: 'Asked you', doing: 'Asking you' },
  description: 'Asks the user one question and waits for the answer.',
  guidance:
    'Use ask_user only where the request leaves open what you cannot look up and a wrong guess would cost the user something, such as which of several records is meant. Call it alone, with choices where there are few, and propose changes after the answer; it is not for permissions.',
  parameters: z
    .strictObject({
      question: z.string().trim().min(1).max(500),
      choices: z
        .array(z.string().trim().min(1).max(200))
        .max(maxChoices)
        .refine((all) => new Set(all).size === all.length, { message: 'name each choice once' })
        .default([])
        .describe('Answers to choose from'),
      several: z.boolean().default(false).describe('More than one may be chosen'),
      freeText: z.boolean().default(true).describe('Own words are an answer too'),
    })
    .refine(({ choices, freeText }) => choices.length > 1 || freeText, {
      message: 'give at least two choices, or allow own words',
    }),
  dataClass: 'public',
  question: ({ question, choices, several, freeText }) => ({ text: question, choices, several, freeText }),
})

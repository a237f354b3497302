import * as z from 'zod'
import { asks } from '../tool.ts'

/** The most choices of a question: each has a digit as its key. */
const maxChoices = 9

/** `ask_user`: a question to the user, whose answer is the result. */
export const askUser = asks({
  name: 'ask_user',
  sign: 'info',
  words: {
    en: { title: 'Ask you back', did: 'Asked you', doing: 'Asking you' },
    de: { title: 'Rückfrage an Sie', did: 'Sie gefragt', doing: 'Fragt Sie' },
  },
  description:
    'Asks the user one question and waits for the answer. Use it only where the request leaves open what you cannot look up and a wrong guess would cost the user something, not for a permission: a change is proposed by its own tool and approved there. Offer choices where there are few; call it alone, and propose changes after the answer.',
  parameters: z
    .strictObject({
      question: z.string().trim().min(1).max(500).describe('In the language of the user, one sentence'),
      choices: z
        .array(z.string().trim().min(1).max(200))
        .max(maxChoices)
        .refine((all) => new Set(all).size === all.length, { message: 'name each choice once' })
        .default([])
        .describe(`The answers to choose from, at most ${maxChoices}; none: the user answers in own words`),
      several: z.boolean().default(false).describe('More than one choice may be taken'),
      freeText: z.boolean().default(true).describe('The user may answer in own words instead of a choice'),
    })
    .refine(({ choices, freeText }) => choices.length > 1 || freeText, {
      message: 'give at least two choices, or allow own words',
    }),
  dataClass: 'public',
  adminOnly: false,
  question: ({ question, choices, several, freeText }) => ({ text: question, choices, several, freeText }),
})

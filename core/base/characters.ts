import * as z from 'zod'
import { foldToLine, trimUnseen } from './safety/invisible.ts'

/**
 * The maximum number of characters of each text that a user writes, except messages and the instructions for a
 * conversation: their limits are settings. `/status` tells them to the interface.
 */
export const maxCharacters = {
  title: 255,
  reason: 2_000,
  answer: 2_000,
  wording: 20_000,
  feedback: 500,
  promptTitle: 100,
  promptText: 2_000,
  instructions: 2_000,
  tokenName: 60,
  secret: 8_192,
} as const

/**
 * Returns a schema for a text of `min` to `max` code points, as people count characters; the API description shows the
 * limits.
 */
export const characters = (max: number, min = 0): z.ZodString => within(z.string(), max, min)

/** Works like `characters`, but trims the text first; a text that no reader sees is empty. */
export function trimmed(max: number, min = 0): z.ZodString {
  return within(z.string().overwrite(trimUnseen), max, min)
}

/** Works like `trimmed`, but first makes one line of the text. */
export function oneLine(max: number, min = 0): z.ZodString {
  return within(z.string().overwrite(foldToLine), max, min)
}

function within(text: z.ZodString, max: number, min: number): z.ZodString {
  if (min === 0) return text.max(max, `at most ${max} characters`)
  const message = `${min} to ${max} characters`
  return text.min(min, message).max(max, message)
}

import * as z from 'zod'
import { foldToLine, trimUnseen } from './safety/invisible.ts'

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
  const message = min > 0 ? `${min} to ${max} characters` : `at most ${max} characters`
  return text
    .refine((value) => {
      const { length } = [...value]
      return length >= min && length <= max
    }, message)
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max })
}

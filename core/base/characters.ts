import * as z from 'zod'

/**
 * Returns a schema for a text of `min` to `max` code points, as people count characters; the API description shows the
 * limits.
 */
export function characters(max: number, min = 0): z.ZodString {
  return within(z.string(), max, min)
}

/** Works like `characters`, but trims the text first. */
export function trimmed(max: number, min = 0): z.ZodString {
  return within(z.string().trim(), max, min)
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

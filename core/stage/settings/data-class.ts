import * as z from 'zod'

/** The sensitivity of a tool's results; a provider's trust zone is the highest class that it may receive. */
export const DataClass = z.enum(['public', 'internal', 'restricted'])
export type DataClass = z.infer<typeof DataClass>

/** Returns the place of a class in their order; a more sensitive class has a higher rank. */
export const rank = (dataClass: DataClass): number => DataClass.options.indexOf(dataClass)

import type { Mark } from './schema.ts'

/** How the result of a call begins that was never made; why follows. */
export const notRun: Mark = 'Not run: '

import * as z from 'zod'
import { count, when } from '../format.ts'
import { reads } from '../tool.ts'

/** `get_last_exception`: an exception with its trace; administrators only. */
export const getLastException = reads({
  name: 'get_last_exception',
  sign: 'warning',
  source: 'log',
  words: {
    en: {
      title: 'Last exception',
      did: 'Looked up the last exception',
      doing: 'Looking up the last exception',
    },
  },
  description: 'An exception from the system log with its message, place, number of times and trace.',
  parameters: z.strictObject({
    index: z.int().min(0).max(1_000).default(0).describe('0 is the newest, 1 the one before it'),
  }),
  dataClass: 'restricted',
  adminOnly: true,
  suits: ({ exceptions }) => exceptions,
  async run({ index }, { actor, cms }) {
    const asked = { level: 'debug', exceptions: true, offset: index, limit: 1 } as const
    const [entry] = await cms.log(actor, asked)
    if (!entry?.exception) {
      return index === 0
        ? 'No exception is recorded.'
        : `There is no exception with index ${index}; try a smaller one.`
    }
    const { exception } = entry
    const lines = [
      `Exception ${exception.class} (code ${exception.code}), log entry [${entry.uid}], level ${entry.level}`,
      `Message: ${entry.message}`,
      `Place: ${exception.file}:${exception.line}, component ${entry.component}`,
      `Last: ${when(entry.at)}${entry.user ? `, user ${entry.user}` : ''}; seen ${count(exception.count, 'time')}`,
      `Trace:\n${exception.trace}`,
    ]
    return { text: lines.join('\n'), count: 1 }
  },
})

import * as z from 'zod'
import { reads } from '../tool.ts'

/** `get_system_status`: measured figures of the service and the CMS; administrators only. */
export const getSystemStatus = reads({
  name: 'get_system_status',
  sign: 'info',
  words: {
    en: { title: 'System status', did: 'Checked the system status', doing: 'Checking the system status' },
  },
  description:
    'Figures of the system now: queue, dead letters, stuck turns, table, bucket, versions, AI provider, and those of the CMS itself.',
  parameters: z.strictObject({}),
  dataClass: 'restricted',
  adminOnly: true,
  async run(_, { actor, cms, operations, now }) {
    const [service, facts] = await Promise.all([operations(), cms.facts(actor)])
    return [
      `System status at ${new Date(now).toISOString()}`,
      'AI chat:',
      ...figures(service),
      'CMS:',
      ...figures(facts),
    ].join('\n')
  },
})

function figures(values: Record<string, string | number | boolean>): string[] {
  const lines = Object.entries(values).map(([name, value]) => `- ${name}: ${value}`)
  return lines.length > 0 ? lines : ['- no figures']
}

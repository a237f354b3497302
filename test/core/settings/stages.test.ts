import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decide, gateFacts } from '../../../core/agent/gate.ts'
import { capabilities } from '../../../core/cms/reference/capabilities.ts'
import { check, unknownTools } from '../../../core/settings/check.ts'
import { meaningless } from '../../../core/settings/meaning.ts'
import type { Settings } from '../../../core/settings/schema.ts'
import { resolve } from '../../../core/settings/settings.ts'
import { tools } from '../../../core/tool/tools.ts'

const folder = new URL('../../../infra/stages/', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
const admin = { isAdmin: true, groups: [] }

describe.each(files)('%s', (name) => {
  const json: unknown = JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
  const settings = check(json).settings as Settings

  test('is a complete set of settings, which leaves nothing to defaults', () => {
    expect(check(json)).toEqual({ settings: json })
    expect(
      unknownTools(
        settings,
        tools.map(({ name }) => name),
      ),
    ).toEqual([])
    expect(meaningless(settings, settings, tools)).toEqual([])
  })

  test('resolves to a provider that lets every tool through that this CMS has a use for', () => {
    const { resolved } = resolve(settings, admin)
    const facts = resolved && gateFacts(admin, settings, resolved, capabilities())
    const decisions = facts && tools.map((tool) => [tool.name, decide(tool, facts)])

    // The reference CMS has no lists of parts.
    const expected = (name: string) =>
      name === 'change_parts' ? { allowed: false, reason: 'tool.notHere' } : { allowed: true }
    expect(decisions).toEqual(tools.map(({ name }) => [name, expected(name)]))
  })
})

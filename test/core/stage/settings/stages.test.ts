import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decide, gateFacts } from '../../../../core/agent/gate.ts'
import { capabilities } from '../../../../core/cms/reference/registry.ts'
import { check, merge, unknownTools } from '../../../../core/stage/settings/check.ts'
import { meaningless } from '../../../../core/stage/settings/meaning.ts'
import type { Settings } from '../../../../core/stage/settings/schema.ts'
import { resolve } from '../../../../core/stage/settings/settings.ts'
import { tools } from '../../../../core/tool/tools.ts'

const folder = new URL('../../../../infra/stages/', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
const admin = { isAdmin: true, groups: [] }

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
const base = check(read('base.json')).settings as Settings
const names = tools.map(({ name }) => name)

test('base.json is a complete set of settings, which leaves nothing to defaults', () => {
  expect(check(read('base.json'))).toEqual({ settings: read('base.json') })
})

describe.each(files)('%s', (name) => {
  const own = read(name)
  const settings = merge(base, own).settings as Settings

  test('is valid over base.json, and names tools that exist', () => {
    expect(merge(base, own).mistakes).toBeUndefined()
    expect(unknownTools(settings, names)).toEqual([])
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

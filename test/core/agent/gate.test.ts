import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { decide, type GateFacts, type GateReason, gateFacts, reasonText } from '../../../core/agent/gate.ts'
import { loadLanguage } from '../../../core/base/language.ts'
import { capabilities } from '../../../core/cms/reference/registry.ts'
import type { DataClass } from '../../../core/stage/settings/data-class.ts'
import { reads, type Tool } from '../../../core/tool/tool.ts'
import { facts as allowing, configuration, model, provider, settings } from '../../support/settings.ts'

await loadLanguage('de')

type Over = { name?: string; adminOnly?: boolean; dataClass?: DataClass; shows?: true }

const tool = ({ name = 'get_record', adminOnly = false, dataClass = 'internal', shows }: Over = {}): Tool =>
  reads({
    name,
    sign: 'record',
    en: { title: name, did: name, doing: name },
    description: name,
    parameters: z.strictObject({}),
    dataClass,
    adminOnly,
    ...(shows && { shows }),
    run: async () => '',
  })

const facts = (over: Partial<GateFacts> = {}) =>
  allowing({ actor: { isAdmin: false, groups: [1, 2] }, ...over })

const admin = { isAdmin: true, groups: [1] }
const groups = (rules: GateFacts['rules']['groups']) => ({ rules: { disabled: [], groups: rules } })
const disabled = (...patterns: string[]) => ({ rules: { disabled: patterns, groups: {} } })

type Row = { rule: string; tool?: Over; facts?: Partial<GateFacts>; reason: GateReason | null }

const rows: Row[] = [
  { rule: 'nothing speaks against it', reason: null },

  { rule: 'a tool that is switched off', facts: disabled('get_record'), reason: 'tool.disabled' },
  { rule: 'a pattern that switches it off', facts: disabled('get_*'), reason: 'tool.disabled' },
  {
    rule: 'administrators are not exempt',
    facts: { ...disabled('*'), actor: admin },
    reason: 'tool.disabled',
  },
  {
    rule: 'another tool that is switched off',
    facts: disabled('get_record_history', 'list_*'),
    reason: null,
  },

  { rule: 'an administrator’s tool for a user', tool: { adminOnly: true }, reason: 'tool.adminOnly' },
  {
    rule: 'an administrator’s tool for an administrator',
    tool: { adminOnly: true },
    facts: { actor: admin },
    reason: null,
  },

  { rule: 'a deny of one group', facts: groups({ 2: { deny: ['get_*'] } }), reason: 'tool.groupDenied' },
  {
    rule: 'a deny wins over an allow of another group',
    facts: groups({ 1: { allow: ['*'] }, 2: { deny: ['get_record'] } }),
    reason: 'tool.groupDenied',
  },
  {
    rule: 'a deny wins over an allow of the same group',
    facts: groups({ 1: { allow: ['get_record'], deny: ['get_record'] } }),
    reason: 'tool.groupDenied',
  },
  { rule: 'a deny of a group that is not the user’s', facts: groups({ 3: { deny: ['*'] } }), reason: null },
  { rule: 'on an allow list', facts: groups({ 1: { allow: ['get_record'] } }), reason: null },
  {
    rule: 'on one of two allow lists',
    facts: groups({ 1: { allow: ['x'] }, 2: { allow: ['get_*'] } }),
    reason: null,
  },
  {
    rule: 'on none of two allow lists',
    facts: groups({ 1: { allow: ['list_*'] }, 2: { allow: ['x'] } }),
    reason: 'tool.groupNotAllowed',
  },
  {
    rule: 'a group without rules adds nothing to an allow list',
    facts: groups({ 1: {}, 2: { allow: ['x'] } }),
    reason: 'tool.groupNotAllowed',
  },
  { rule: 'an empty allow list', facts: groups({ 1: { allow: [] } }), reason: 'tool.groupNotAllowed' },
  { rule: 'an empty deny list', facts: groups({ 1: { deny: [] } }), reason: null },
  { rule: 'an allow list of a foreign group', facts: groups({ 3: { allow: ['x'] } }), reason: null },
  {
    rule: 'group rules do not bind administrators',
    facts: { ...groups({ 1: { allow: [], deny: ['*'] } }), actor: admin },
    reason: null,
  },
  {
    rule: 'a group’s allow makes no user an administrator',
    tool: { adminOnly: true },
    facts: groups({ 1: { allow: ['*'] } }),
    reason: 'tool.adminOnly',
  },

  { rule: 'the configuration’s list', facts: { offered: ['list_records', 'get_rec*'] }, reason: null },
  { rule: 'not on that list', facts: { offered: ['list_*'] }, reason: 'tool.notConfigured' },
  { rule: 'a configuration without tools', facts: { offered: [] }, reason: 'tool.notConfigured' },
  { rule: 'also for administrators', facts: { offered: [], actor: admin }, reason: 'tool.notConfigured' },

  { rule: 'data of the zone itself', facts: { trustZone: 'internal' }, reason: null },
  {
    rule: 'public data in any zone',
    tool: { dataClass: 'public' },
    facts: { trustZone: 'public' },
    reason: null,
  },
  { rule: 'internal data for a public zone', facts: { trustZone: 'public' }, reason: 'tool.trustZone' },
  {
    rule: 'restricted data for an internal zone, administrators included',
    tool: { dataClass: 'restricted' },
    facts: { trustZone: 'internal', actor: admin },
    reason: 'tool.trustZone',
  },

  {
    rule: 'a model that cannot call tools, administrators included',
    facts: { modelCalls: false, actor: admin },
    reason: 'tool.modelCannot',
  },
  {
    rule: 'a picture for a model that sees none',
    tool: { shows: true },
    facts: { modelSees: false },
    reason: 'tool.modelBlind',
  },
  { rule: 'words for a model that sees nothing', facts: { modelSees: false }, reason: null },
]

describe('decide', () => {
  test.each(rows)('$rule: $reason', ({ tool: over, facts: given, reason }) => {
    expect(decide(tool(over), facts(given))).toEqual(reason ? { allowed: false, reason } : { allowed: true })
  })

  test('a tool that is not registered', () => {
    expect(decide(undefined, facts(disabled('*')))).toEqual({ allowed: false, reason: 'tool.unknown' })
  })

  test('names the first of the rules that refuse, in their order', () => {
    const everything: GateFacts = {
      actor: { isAdmin: false, groups: [1] },
      rules: { disabled: ['*'], groups: { 1: { allow: [], deny: ['*'] } } },
      drafts: 'off',
      offered: [],
      trustZone: 'public',
      capabilities: capabilities(),
      modelCalls: false,
      modelSees: false,
    }
    const strict = tool({ adminOnly: true, dataClass: 'restricted' })
    const plain = tool({ dataClass: 'restricted' })
    const publishing: Tool = { ...strict, publishes: true }
    const enabled = { ...everything, rules: { ...everything.rules, disabled: [] } }
    const undenied = { ...enabled, rules: { disabled: [], groups: { 1: { allow: [] } } } }
    const unruled = { ...enabled, rules: { disabled: [], groups: {} } }

    expect([
      decide(strict, everything),
      decide(publishing, { ...enabled, drafts: 'only' }),
      decide(strict, enabled),
      decide(plain, enabled),
      decide(plain, undenied),
      decide(plain, unruled),
      decide(plain, { ...unruled, offered: null }),
      decide(plain, { ...unruled, offered: null, trustZone: 'restricted' }),
      decide(plain, { ...unruled, offered: null, trustZone: 'restricted', modelCalls: true }),
    ]).toEqual([
      { allowed: false, reason: 'tool.disabled' },
      { allowed: false, reason: 'tool.draftsOnly' },
      { allowed: false, reason: 'tool.adminOnly' },
      { allowed: false, reason: 'tool.groupDenied' },
      { allowed: false, reason: 'tool.groupNotAllowed' },
      { allowed: false, reason: 'tool.notConfigured' },
      { allowed: false, reason: 'tool.trustZone' },
      { allowed: false, reason: 'tool.modelCannot' },
      { allowed: true },
    ])
  })
})

describe('a pattern', () => {
  test.each([
    ['get_record', true],
    ['*', true],
    ['get_*', true],
    ['*_record', true],
    ['*record*', true],
    ['g*t*d', true],
    ['get_record*', true],
    ['*get_record', true],
    ['get**record', true],
    ['', false],
    ['get', false],
    ['record', false],
    ['get_record_', false],
    ['get_records*', false],
    ['*get', false],
    ['g*d*t', false],
    ['get_r*_record', false],
    ['get.record', false],
    ['GET_RECORD', false],
    ['[a-z_]*', false],
  ])('%j holds for get_record: %s', (pattern, holds) => {
    expect(decide(tool(), facts({ offered: [pattern] })).allowed).toBe(holds)
  })
})

test('the facts of a turn come from actor, settings, configuration, provider and model', () => {
  const given = settings({ tools: { disabled: ['fetch_logs'], groups: {} } })
  const resolved = {
    configuration: configuration({ tools: ['get_*'] }),
    provider: provider({ trustZone: 'internal' }),
    model: model({ capabilities: ['vision'] }),
  }

  expect(gateFacts(admin, given, resolved, capabilities())).toEqual({
    actor: admin,
    rules: { disabled: ['fetch_logs'], groups: {} },
    drafts: 'off',
    offered: ['get_*'],
    trustZone: 'internal',
    capabilities: capabilities(),
    modelCalls: false,
    modelSees: true,
  })
})

test('every reason is a sentence in both languages, English for any other', () => {
  const reasons = new Set<GateReason>(['tool.unknown', ...rows.flatMap(({ reason }) => reason ?? [])])

  for (const reason of reasons) {
    expect(reasonText(reason, 'de')).toMatch(/^(?:Dieses|Die|Das|Eine|Keine) .+\.$/)
    expect(reasonText(reason, 'en')).toMatch(/^(?:There|This|Only|One|None|The) .+\.$/)
    expect(reasonText(reason, 'eo')).toBe(reasonText(reason, 'en'))
  }
})

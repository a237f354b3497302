import { describe, expect, test } from 'vitest'
import { check, merge, unknownTools } from '../../../../core/stage/settings/check.ts'
import { configuration, model, provider, settings, task } from '../../../support/settings.ts'

const whole = () => structuredClone(settings()) as unknown as Record<string, unknown>
const paths = (json: unknown) => check(json).mistakes?.map(({ path }) => path)

describe('check', () => {
  test('fills in what the contract says of settings that are not named', () => {
    const records = {
      providers: [provider()],
      models: [model()],
      configurations: [configuration()],
      tasks: [task()],
    }

    expect(check(records).settings).toEqual({
      llmTaskUid: 1,
      groupTaskMapping: [],
      allowedGroups: [1, 2],
      maxMessageLength: 10_000,
      maxSystemPromptLength: 10_000,
      maxActiveConversations: 3,
      maxConversationsPerUser: 200,
      maxUnsentFilesPerUser: 50,
      autoArchiveDays: 30,
      deleteAfterDays: 90,
      retainRunDays: 30,
      retainAuditDays: 365,
      maintenance: false,
      refuseAfterWaitMs: 120_000,
      groupWeights: {},
      pollIntervalMs: 1_500,
      dailyTokensPerUser: null,
      dailyTokens: null,
      historyTokens: 120_000,
      summaries: true,
      titles: 'cheaper',
      showUsage: 'tokens',
      tools: { disabled: [], groups: {} },
      drafts: { mode: 'off', groups: {} },
      mcpServers: [],
      accessTokens: null,
      houseStyle: '',
      timeZone: 'UTC',
      prompts: [],
      embedOrigins: [],
      exchange: null,
      ...records,
    })
  })

  test('takes groups as the CMS names them: by number, or by word', () => {
    const named = {
      allowedGroups: [1, 'editor'],
      groupTaskMapping: [
        ['editor', 1],
        [2, 1],
      ],
      tools: { disabled: [], groups: { editor: { deny: ['*'] }, 2: {} } },
    }

    expect(check({ ...whole(), ...named }).settings).toMatchObject(named)
  })

  test.each([
    ['an unknown key', { maxMesageLength: 5 }, 'maxMesageLength'],
    ['an unknown key of a record', { tasks: [{ ...task(), prompt: '' }] }, 'tasks.0.prompt'],
    ['a length over the limit', { maxMessageLength: 50_001 }, 'maxMessageLength'],
    ['a length switched off', { maxSystemPromptLength: null }, 'maxSystemPromptLength'],
    ['a poll faster than once a second', { pollIntervalMs: 200 }, 'pollIntervalMs'],
    [
      'an adapter that does not exist',
      { providers: [{ ...provider(), adapter: 'x' }] },
      'providers.0.adapter',
    ],
    ['a uid of 0', { models: [{ ...model(), uid: 0 }] }, 'models.0.uid'],
    ['the same uid twice', { tasks: [task(), task()] }, 'tasks.1.uid'],
    ['a group without a name', { allowedGroups: [''] }, 'allowedGroups.0'],
    ['an unknown rule', { tools: { groups: { 1: { only: [] } } } }, 'tools.groups.1.only'],
    ['an origin with a slash at its end', { embedOrigins: ['https://cms.example/'] }, 'embedOrigins.0'],
    ['an origin with a path', { embedOrigins: ['https://cms.example', 'https://a.b/x'] }, 'embedOrigins.1'],
    ['an origin in capitals', { embedOrigins: ['https://CMS.example'] }, 'embedOrigins.0'],
    ['an origin with its usual port', { embedOrigins: ['https://cms.example:443'] }, 'embedOrigins.0'],
    ['a pair of three', { groupTaskMapping: [[1, 2, 3]] }, 'groupTaskMapping.0'],
  ])('refuses %s, with its path', (_, wrong, path) => {
    expect(paths({ ...whole(), ...wrong })).toEqual([path])
  })

  test.each([
    'sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789',
    'sk-proj-AbCdEfGhIjKlMnOp',
    'AKIAIOSFODNN7EXAMPLE',
    'aB3dE5fG7hI9jK1lM3nO5p',
    '0123456789abcdef0123456789abcdef',
    'AbCdEfGh/IjKlMnOpQrStUv+Wx==',
    'a name with spaces',
    '',
  ])('refuses %j in place of the name of a secret, and does not repeat it', (secret) => {
    const { mistakes } = check({ ...whole(), providers: [{ ...provider(), secret }] })

    expect(mistakes?.map(({ path }) => path)).toContain('providers.0.secret')
    if (secret) expect(JSON.stringify(mistakes)).not.toContain(secret)
  })

  test.each([
    'anthropic',
    'ANTHROPIC',
    'partner-key_2',
    'openrouter',
    'skylight-provider',
    'api-key-of-a-partner',
  ])('takes the name %s', (secret) => {
    expect(paths({ ...whole(), providers: [{ ...provider(), secret }] })).toBeUndefined()
  })

  test('tells every mistake of a file, not only the first', () => {
    expect(check({ ...whole(), llmTaskUid: 'one', speed: 3 }).mistakes).toEqual([
      { path: 'llmTaskUid', message: 'Invalid input: expected number, received string' },
      { path: 'speed', message: 'is not a known key' },
    ])
  })

  test.each([null, [], 'text', 7])('refuses %j, which is no object', (json) => {
    expect(paths(json)).toEqual(['(file)'])
  })

  test('takes links that lead nowhere: they fail the turn, not the file', () => {
    expect(check({ ...whole(), llmTaskUid: 99, models: [] }).mistakes).toBeUndefined()
  })

  test('takes null where a limit may be switched off', () => {
    const off = {
      maxActiveConversations: null,
      maxConversationsPerUser: null,
      maxUnsentFilesPerUser: null,
      autoArchiveDays: null,
      deleteAfterDays: null,
      retainRunDays: null,
    }

    expect(check({ ...whole(), ...off }).settings).toMatchObject(off)
  })
})

test('a pattern that matches no tool is a mistake, wherever it stands', () => {
  const names = ['get_record', 'update_record']
  const rules = {
    disabled: ['get_*', 'fetch_logs'],
    groups: { 1: { deny: ['update_records'] }, 2: { allow: ['*', 'Get_record'] } },
  }
  const configurations = [configuration(), configuration({ uid: 2, tools: ['*_record', '*_page'] })]

  expect(unknownTools({ tools: rules, configurations }, names)).toEqual(
    ['tools.disabled.1', 'tools.groups.1.deny.0', 'tools.groups.2.allow.1', 'configurations.1.tools.1'].map(
      (path) => ({ path, message: 'matches no tool' }),
    ),
  )
  expect(unknownTools({}, names)).toEqual([])
})

describe('merge', () => {
  test('an empty overlay changes nothing, also where settings differ from their defaults', () => {
    const base = settings({ maxMessageLength: 77, allowedGroups: [], embedOrigins: ['https://cms.example'] })

    expect(merge(base, {})).toEqual({ settings: base })
  })

  test('replaces scalars, the mapping, the groups and the tool rules as a whole', () => {
    const base = settings({
      groupTaskMapping: [[1, 1]],
      tools: { disabled: ['fetch_logs'], groups: { 1: { deny: ['*'] } } },
    })
    const overlay = {
      maxActiveConversations: null,
      groupTaskMapping: [[2, 1]],
      allowedGroups: [3],
      tools: { disabled: ['get_*'] },
    }

    expect(merge(base, overlay)).toEqual({
      settings: {
        ...base,
        maxActiveConversations: null,
        groupTaskMapping: [[2, 1]],
        allowedGroups: [3],
        tools: { disabled: ['get_*'], groups: {} },
      },
    })
  })

  test('merges records by uid, partial ones too, and puts new ones behind', () => {
    const base = settings({ providers: [provider(), provider({ uid: 2, name: 'Second' })] })
    const overlay = { providers: [provider({ uid: 3, name: 'Third' }), { uid: 1, active: false }] }

    expect(merge(base, overlay).settings?.providers).toEqual([
      provider({ active: false }),
      provider({ uid: 2, name: 'Second' }),
      provider({ uid: 3, name: 'Third' }),
    ])
  })

  test('a new record needs no more than what cannot be guessed', () => {
    const overlay = {
      configurations: [{ uid: 2, name: 'Brief', model: 1, maxTokens: 512 }],
      tasks: [{ uid: 2, name: 'For authors', configuration: 2 }],
    }

    const { configurations, tasks } = merge(settings(), overlay).settings ?? {}

    expect([configurations?.[1], tasks?.[1]]).toEqual([
      configuration({ uid: 2, name: 'Brief', system_prompt: '', maxTokens: 512 }),
      { uid: 2, name: 'For authors', configuration: 2, prompt_template: '', active: true },
    ])
  })

  test('keeps the members of a record that the overlay does not name, also those with a default', () => {
    const base = settings({ configurations: [configuration({ maxRounds: 7 })] })

    expect(merge(base, { configurations: [{ uid: 1, name: 'Other' }] }).settings?.configurations).toEqual([
      configuration({ maxRounds: 7, name: 'Other' }),
    ])
  })

  test.each([
    ['an unknown key', { speed: 1 }, ['speed']],
    ['an unknown key of a record', { tasks: [{ uid: 1, template: '' }] }, ['tasks.0.template']],
    ['a record without uid', { tasks: [{ name: 'x' }] }, ['tasks.0.uid']],
    ['a uid that is there twice', { tasks: [{ uid: 1 }, { uid: 1 }] }, ['tasks.1.uid']],
    [
      'a new record that is not whole',
      { models: [{ uid: 1 }, { uid: 9, provider: 1, modelId: 'm' }] },
      ['models.1.capabilities', 'models.1.contextTokens', 'models.1.maxOutputTokens'],
    ],
    ['a wrong value', { pollIntervalMs: '2s' }, ['pollIntervalMs']],
    ['what is no object', ['x'], ['(file)']],
  ])('refuses %s, with the paths of the overlay', (_, overlay, expected) => {
    expect(merge(settings(), overlay).mistakes?.map(({ path }) => path)).toEqual(expected)
  })
})

describe('a model that is known', () => {
  const named = (over: object) => ({ ...whole(), models: [{ uid: 1, provider: 1, ...over }] })
  const sonnet = {
    contextTokens: 1_000_000,
    maxOutputTokens: 128_000,
    capabilities: ['vision', 'pdf', 'tools'],
    prices: { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5, cacheWriteHour: 4 },
    pricesAsOf: '2026-11-23',
  }

  test.each(['claude-sonnet-5-5', 'global.anthropic.claude-sonnet-5-5'])(
    'needs no more than its id: %s',
    (modelId) => {
      expect(check(named({ modelId })).settings?.models[0]).toMatchObject(sonnet)
    },
  )

  test('is what the settings say where they say something', () => {
    const said = { modelId: 'claude-sonnet-5-5', contextTokens: 50_000, prices: null }

    expect(check(named(said)).settings?.models[0]).toMatchObject({ ...sonnet, ...said })
  })

  test('has its own figures when an overlay names it in the place of another', () => {
    const overlay = { models: [{ uid: 1, modelId: 'claude-sonnet-5-5' }] }

    expect(merge(settings(), overlay).settings?.models[0]).toMatchObject(sonnet)
  })

  test('leaves a model that is not known with what the settings say', () => {
    const overlay = { models: [{ uid: 1, modelId: 'qwen3' }] }

    expect(merge(settings(), overlay).settings?.models[0]).toEqual(model({ modelId: 'qwen3' }))
  })
})

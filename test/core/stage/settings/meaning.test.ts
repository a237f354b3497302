import { describe, expect, test } from 'vitest'
import { merge } from '../../../../core/stage/settings/check.ts'
import { mayChat } from '../../../../core/stage/settings/group.ts'
import { meaningless } from '../../../../core/stage/settings/meaning.ts'
import type { Settings } from '../../../../core/stage/settings/schema.ts'
import { resolve } from '../../../../core/stage/settings/settings.ts'
import { tools } from '../../../../core/tool/tools.ts'
import { configuration, model, provider, settings, task } from '../../../support/settings.ts'

const exchange = { issuer: 'cms', audience: 'ai-chat', key: 'exchange' }
const anthropic = { adapter: 'anthropic', secret: 'anthropic' } as const
const server = { name: 'shop', url: 'https://shop.example/mcp' }
const hashed = { hash: 'a'.repeat(64) }

/** What means nothing in a file that is merged over complete settings. */
function mistakesOf(given: object, base = settings()): string[] {
  const { settings: whole, mistakes } = merge(base, given)
  if (!whole) throw new Error(JSON.stringify(mistakes))
  return meaningless(whole, given as Partial<Settings>, tools).map(({ path }) => path)
}

describe('what means nothing', () => {
  test.each<[string, object, string]>([
    [
      'a key of Bedrock',
      { providers: [{ uid: 1, adapter: 'bedrock', secret: 'aws' }] },
      'providers.0.secret',
    ],
    ['a key of the demo', { providers: [{ uid: 1, secret: 'demo' }] }, 'providers.0.secret'],
    ['Anthropic without a key', { providers: [{ uid: 1, adapter: 'anthropic' }] }, 'providers.0.adapter'],
    [
      'an address of the demo',
      { providers: [{ uid: 1, baseUrl: 'https://llm.example' }] },
      'providers.0.baseUrl',
    ],
    ['the model as its own second choice', { models: [{ uid: 1, fallback: 1 }] }, 'models.0.fallback'],
    ['a version of the demo', { models: [{ uid: 1, apiVersion: '2026-10-21' }] }, 'models.0.apiVersion'],
    [
      'a price below nothing',
      { models: [{ uid: 1, prices: { input: -2, output: 10, cacheRead: 0, cacheWrite: 0 } }] },
      'models.0.prices',
    ],
    ['the day of no prices', { models: [{ uid: 1, pricesAsOf: '2026-11-22' }] }, 'models.0.pricesAsOf'],
    [
      'tools of a model that calls none',
      {
        models: [{ uid: 1, capabilities: ['vision'] }],
        configurations: [{ uid: 1, tools: ['get_*'] }],
      },
      'configurations.0.tools',
    ],
    [
      'a group that has its task',
      {
        groupTaskMapping: [
          [2, 1],
          [3, 1],
          ['2', 1],
        ],
      },
      'groupTaskMapping.2',
    ],
    ['an origin of no page', { embedOrigins: ['ftp://cms.example'], exchange }, 'embedOrigins.0'],
    ['origins that get no session', { embedOrigins: ['https://cms.example'] }, 'embedOrigins'],
    ['a rule that says nothing', { tools: { groups: { 2: {} } } }, 'tools.groups.2'],
    [
      'a tool of administrators for a group',
      { tools: { groups: { 2: { allow: ['get_*', 'fetch_logs'] } } } },
      'tools.groups.2.allow.1',
    ],
    [
      'a tool that is denied as well',
      { tools: { groups: { 2: { allow: ['update_record', 'get_*'], deny: ['update_*'] } } } },
      'tools.groups.2.allow.0',
    ],
    [
      'a program of a server over http',
      { mcpServers: [{ ...server, command: ['x'] }] },
      'mcpServers.0.command',
    ],
    [
      'an address of a program',
      { mcpServers: [{ ...server, transport: 'stdio', command: ['x'] }] },
      'mcpServers.0.url',
    ],
    ['a token that is not sent', { mcpServers: [{ ...server, secret: 'shop' }] }, 'mcpServers.0.secret'],
    [
      'a token of the stage where each user puts one',
      { mcpServers: [{ ...server, auth: 'token', secret: 'shop' }] },
      'mcpServers.0.secret',
    ],
    [
      'a secret of a client without an id',
      { mcpServers: [{ ...server, auth: 'oauth', secret: 'shop' }] },
      'mcpServers.0.secret',
    ],
  ])('%s', (_, given, path) => {
    expect(mistakesOf(given)).toEqual([path])
  })

  test.each([
    'ftp://llm.example',
    'https://user:password@llm.example',
    'https://llm.example/?key=abc',
    'https://llm.example/v1',
    'https://llm.example/v1/',
  ])('the address %s, and it is not repeated', (baseUrl) => {
    const given = { providers: [{ uid: 1, ...anthropic, baseUrl }] }
    const whole = merge(settings(), given).settings as Settings

    const [mistake] = meaningless(whole, given as unknown as Partial<Settings>, tools)
    expect(mistake?.path).toBe('providers.0.baseUrl')
    expect(mistake?.message).not.toContain('llm.example')
  })

  test('is no mistake of a file that does not say it', () => {
    const base = settings({ providers: [provider({ secret: 'anthropic', adapter: 'anthropic' })] })
    expect(mistakesOf({ providers: [{ uid: 1, adapter: 'bedrock' }] }, base)).toEqual([])
  })

  test('is nothing of this', () => {
    const given = {
      groupTaskMapping: [
        [2, 1],
        ['editor', 1],
      ],
      embedOrigins: ['https://cms.example'],
      exchange,
      tools: { groups: { 1: { allow: [] }, 2: { allow: ['*'], deny: ['fetch_logs'] } } },
      providers: [
        { uid: 1, ...anthropic },
        { ...provider({ uid: 2, adapter: 'anthropic', baseUrl: 'http://127.0.0.1:11434' }) },
        { ...provider({ uid: 3, adapter: 'bedrock' }) },
      ],
      models: [{ uid: 1, fallback: 2, apiVersion: '2026-10-21' }, model({ uid: 2, provider: 2 })],
      configurations: [{ uid: 1, tools: ['get_*'] }],
      mcpServers: [
        { ...server, auth: 'shared', secret: 'shop', tools: { look: { class: 'read', ...hashed } } },
      ],
    }
    expect(mistakesOf(given)).toEqual([])
  })
})

test('a group is the same whether it is written as a number or as a word', () => {
  const [admitted, mapped] = [['2'], [['2', 7] as [string, number]]]
  const tasks = [task({ uid: 7 })]
  const configurations = [configuration({ allowedGroups: ['2'] })]
  const actor = { isAdmin: false, groups: [2] }

  expect(mayChat({ ...actor } as Parameters<typeof mayChat>[0], { allowedGroups: admitted })).toBe(true)
  expect(
    resolve(settings({ groupTaskMapping: mapped, tasks, configurations }), actor).resolved?.task.uid,
  ).toBe(7)
})

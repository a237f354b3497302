import { describe, expect, test } from 'vitest'
import { check, localServers, unknownTools } from '../../../../core/stage/settings/check.ts'
import { toolName } from '../../../../core/stage/settings/server.ts'
import { settings } from '../../../support/settings.ts'

const hash = 'a'.repeat(64)
const base = { name: 'shop', url: 'https://shop.example/mcp' }
const mistakes = (server: object) => check({ ...settings(), mcpServers: [server] }).mistakes

describe('a server of tools in the settings', () => {
  test('needs little', () => expect(mistakes(base)).toBeUndefined())

  test.each<[string, object, string]>([
    ['an unknown key', { ...base, adress: 'x' }, 'mcpServers.0.adress'],
    [
      'a tool without its hash',
      { ...base, tools: { look: { class: 'read' } } },
      'mcpServers.0.tools.look.hash',
    ],
    ['a name with a space', { ...base, name: 'my shop' }, 'mcpServers.0.name'],
    ['no address', { name: 'shop' }, 'mcpServers.0.url'],
    ['a password in the address', { ...base, url: 'https://a:b@shop.example' }, 'mcpServers.0.url'],
    ['a file as address', { ...base, url: 'file:///etc' }, 'mcpServers.0.url'],
    ['stdio without a program', { name: 'shop', transport: 'stdio' }, 'mcpServers.0.command'],
    [
      'a client without the server that knows it',
      { name: 'shop', url: 'https://shop.example/mcp', auth: 'oauth', clientId: 'stage' },
      'mcpServers.0.issuer',
    ],
    ['a shared token without a secret', { ...base, auth: 'shared' }, 'mcpServers.0.secret'],
    [
      'a shared token that writes',
      { ...base, auth: 'shared', secret: 'shop', tools: { act: { class: 'write', hash } } },
      'mcpServers.0.tools.act.class',
    ],
    ['a token in place of the name of one', { ...base, auth: 'shared', secret: hash }, 'mcpServers.0.secret'],
  ])('%s is a mistake', (_, server, path) => {
    expect(new Set(mistakes(server)?.map((mistake) => mistake.path))).toEqual(new Set([path]))
  })

  test('two of one name are a mistake', () => {
    const wrong = check({ ...settings(), mcpServers: [base, base] }).mistakes
    expect(wrong?.map(({ path }) => path)).toEqual(['mcpServers.1.name'])
  })

  test('a tool without a class writes', () => {
    const { settings: read } = check({ ...settings(), mcpServers: [{ ...base, tools: { act: { hash } } }] })
    expect(read?.mcpServers[0]?.tools.act?.class).toBe('write')
  })

  test('its tools count among the names that patterns may match', () => {
    const { settings: read } = check({ ...settings(), mcpServers: [{ ...base, tools: { act: { hash } } }] })
    const tools = { disabled: ['mcp__shop__a*', 'mcp__other__*'], groups: {} }
    expect(unknownTools({ ...read, tools }, []).map(({ path }) => path)).toEqual(['tools.disabled.1'])
  })

  test('a deployed stage takes neither programs nor addresses without TLS', () => {
    const list = [
      base,
      { ...base, name: 'plain', url: 'http://shop.example' },
      { name: 'own', transport: 'stdio', command: ['x'] },
    ]
    const { settings: read } = check({ ...settings(), mcpServers: list })
    expect(read && localServers(read).map(({ path }) => path)).toEqual([
      'mcpServers.1.url',
      'mcpServers.2.transport',
    ])
  })
})

test.each([
  ['shop', 'get-price', 'mcp__shop__get-price'],
  ['shop', 'a.b/c', 'mcp__shop__a_b_c'],
])('tool %s of %s is called %s', (server, tool, name) => expect(toolName(server, tool)).toBe(name))

test('the longest names stay apart within 64 characters', () => {
  const names = ['a', 'b'].map((end) => toolName('shop', 'x'.repeat(100) + end))
  expect(new Set(names).size).toBe(2)
  expect(names.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true)
})

import type { Browser, BrowserContextOptions } from 'playwright'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { launch, type Visit, visit } from './browser.ts'
import { login } from './http.ts'
import { type MessagesApi, startMessagesApi } from './messages-api.ts'
import { type Stage, type StageOptions, startStage } from './stage.ts'

export type Scene = ReturnType<typeof scene>

/**
 * One stage and one browser for all tests of a file. Every window is closed after its test, and must not have
 * complained: no error of a script, no violation of the policy.
 */
export function scene(options: StageOptions | (() => Promise<StageOptions>) = {}) {
  let stage: Stage
  let browser: Browser
  const visits: Visit[] = []

  beforeAll(async () => {
    const chosen = typeof options === 'function' ? await options() : options
    ;[stage, browser] = await Promise.all([startStage(chosen), launch()])
  })
  afterAll(async () => {
    await browser?.close()
    await stage?.remove()
  })
  afterEach(async () => {
    const open = visits.splice(0)
    await Promise.all(open.map((it) => it.close()))
    expect(open.flatMap(({ complaints }) => complaints)).toEqual([])
  })

  /** Opens a window in which no user is logged in. */
  async function look(windowOptions: BrowserContextOptions = {}): Promise<Visit> {
    const it = await visit(browser, stage.origin, windowOptions)
    visits.push(it)
    return it
  }

  return {
    stage: () => stage,
    look,
    /** A window of its own in which a user of the seeded site is logged in; opens an address where one is given. */
    enter: async (username: string, path?: string, windowOptions: BrowserContextOptions = {}) => {
      const it = await look(windowOptions)
      const answer = await it.page.context().request.post('/backend/login', {
        data: { username, password: 'demo' },
        headers: { origin: stage.origin },
      })
      expect(answer.status()).toBe(200)
      if (path) await it.open(path)
      return it
    },
    /** The same user without a browser, to prepare what a test looks at. */
    client: (username: string) => login(stage.origin, username),
    /** An empty conversation of the editor with this title; its id. */
    titled: async (title: string): Promise<string> => {
      const editor = await login(stage.origin, 'editor')
      const { body } = await editor.post<{ conversation: { id: string } }>('/ai-chat/conversations/create')
      const { id } = body.conversation
      await editor.post('/ai-chat/conversations/rename', { conversationId: id, title })
      return id
    },
  }
}

/** A scene whose model answers what the test says. */
export function scriptedScene(options: StageOptions = {}) {
  let api: MessagesApi
  const it = scene(async () => {
    api = await startMessagesApi()
    const env = {
      ANTHROPIC_API_KEY: api.key,
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_MODEL: 'claude-sonnet-5-5',
    }
    return { ...options, env: { ...env, ...options.env } }
  })
  afterEach(() => api.reset())
  afterAll(() => api?.stop())
  return Object.assign(it, { api: () => api })
}

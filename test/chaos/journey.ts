import type { Call } from '../support/call.ts'
import type { Said } from './provider.ts'

/** What a user does in a run, as the runner of the scene offers it. Each act is repeated until it has been answered. */
export type Acts = {
  /** Names the run, and is part of every text that it writes. */
  tag: string
  send(content: string, more?: object): Promise<void>
  edit(sequence: number, from: string, to: string): Promise<void>
  /** Shows another version of the message at a place. */
  version(sequence: number, version: number): Promise<void>
  decide(approve: boolean): Promise<void>
  /** Answers what the assistant asks with its first choice. */
  answer(): Promise<void>
  /** Writes a message that waits for the end of the turn. */
  wait(content: string): Promise<void>
  /** Takes back what the turn before has changed. */
  undo(): Promise<void>
  retry(): Promise<void>
  cancel(): Promise<void>
  upload(name: string, text: string): Promise<number>
  /** Lets consumers and cleanup work until the conversation rests. */
  settle(): Promise<void>
  /** What comes now is what the journey is about; until here it is as another one. */
  begin(): void
}

/** A turn, or some, as they are recorded and then cut at each of their effects. */
export type Journey = {
  name: string
  /** What the model says to a text of the user, round by round. */
  says(tag: string): Record<string, Said[]>
  go(acts: Acts): Promise<void>
  /** The user stops the turn while the model is asked. */
  isCancelled?: boolean
  /** True for one with so many effects, or so slow, that only random runs play it. */
  isLong?: boolean
  /** The provider has limits, so that each call of the model is booked and corrected. */
  isPaced?: boolean
  /** The provider says nothing to the first call until the consumer gives it up. */
  isSilent?: boolean
  /** Each invocation has time for one call of the model. */
  isHandedOver?: boolean
  /** The stage has a server with a tool `order`, which counts what is ordered. */
  hasShop?: boolean
}

const read = (name: string, args: object) => ({ name, arguments: args })
const draft = (tag: string) => ({
  name: 'create_content_draft',
  arguments: { page: 3, type: 'text', header: `Draft ${tag}`, body: 'Made by the assistant.' },
})
const change = (tag: string) => ({
  name: 'update_record',
  arguments: { table: 'news', uid: 1, fields: { title: `News ${tag}` } },
})

const changeMany = (tag: string, count = 3) => ({
  name: 'update_records',
  arguments: {
    table: 'news',
    changes: Array.from({ length: count }, (_, at) => at + 1).map((uid) => ({
      uid,
      fields: { title: `News ${uid} ${tag}` },
    })),
  },
})
const order = (tag: string) => ({ name: 'mcp__shop__order', arguments: { item: tag } })
const question = {
  name: 'ask_user',
  arguments: { question: 'Which colour?', choices: ['Red', 'Green'] },
}

/** Tools that write, by the action that the history of the CMS records of them: the CMS judges what they did. */
export const actions: Record<string, string> = {
  create_content_draft: 'add',
  update_record: 'modify',
  update_records: 'modify',
  delete_record: 'delete',
}

/** Tools whose results depend on where a process was cut: what they say is judged, not compared. */
export const isJudged = (tool = '') => tool in actions || tool === order('').name

const proposal = (tag: string) => ({
  'Change it': [{ text: 'I propose this.', calls: [draft(tag), change(tag)] }, { text: 'That was it.' }],
  'Something else': [{ text: 'Something else, then.' }],
})

export const journeys: Journey[] = [
  {
    name: 'a plain answer',
    says: () => ({ Hello: [{ text: 'Hello to you.' }] }),
    go: async ({ send, settle }) => {
      await send('Hello')
      await settle()
    },
  },
  {
    name: 'an answer at the pace of its provider',
    isPaced: true,
    says: () => ({ Hello: [{ text: 'Hello to you.' }] }),
    go: async ({ send, settle }) => {
      await send('Hello')
      await settle()
    },
  },
  {
    name: 'an answer of a provider that was silent first',
    isSilent: true,
    isLong: true,
    says: () => ({ Hello: [{ text: 'Hello to you.' }] }),
    go: async ({ send, settle }) => {
      await send('Hello')
      await settle()
    },
  },
  {
    name: 'a loop of tools',
    says: () => ({
      'What does it cost?': [
        { text: 'I look for it.', calls: [read('search_records', { query: 'Aurora' })] },
        { calls: [read('get_page_content', { page: 3 })] },
        { text: 'It costs 149 EUR.' },
      ],
    }),
    go: async ({ send, settle }) => {
      await send('What does it cost?')
      await settle()
    },
  },
  {
    name: 'a reply of two calls, and one that is refused',
    says: () => ({
      'Look at both': [
        {
          calls: [
            read('get_record', { table: 'pages', uid: 3 }),
            read('list_records', { table: 'news' }),
            read('fetch_logs', {}),
          ],
        },
        { text: 'Both are there.' },
      ],
    }),
    go: async ({ send, settle }) => {
      await send('Look at both')
      await settle()
    },
  },
  {
    name: 'an approval of two writes',
    says: proposal,
    go: async ({ send, decide, settle }) => {
      await send('Change it')
      await settle()
      await decide(true)
      await settle()
    },
  },
  {
    name: 'a denial',
    says: proposal,
    go: async ({ send, decide, settle, begin }) => {
      await send('Change it')
      await settle()
      begin()
      await decide(false)
      await settle()
    },
  },
  {
    name: 'a reply that reads and writes',
    says: (tag) => ({
      'Read and change': [
        { calls: [read('get_record', { table: 'pages', uid: 4 }), change(tag)] },
        { text: 'Read, and changed.' },
      ],
    }),
    go: async ({ send, decide, settle }) => {
      await send('Read and change')
      await settle()
      await decide(true)
      await settle()
    },
  },
  {
    name: 'a new message instead of a decision',
    says: proposal,
    go: async ({ send, settle, begin }) => {
      await send('Change it')
      await settle()
      begin()
      await send('Something else')
      await settle()
    },
  },
  {
    name: 'a decision taken back before it is carried out',
    says: proposal,
    go: async ({ send, decide, cancel, settle, begin }) => {
      await send('Change it')
      await settle()
      begin()
      await decide(true)
      await cancel()
      await settle()
    },
  },
  {
    name: 'a cancel while the model is asked',
    says: () => ({ 'Tell me a lot': [{ text: 'A lot.' }] }),
    isCancelled: true,
    go: async ({ send, settle }) => {
      await send('Tell me a lot')
      await settle()
    },
  },
  {
    name: 'an edit',
    says: () => ({ First: [{ text: 'The first answer.' }], Second: [{ text: 'The second answer.' }] }),
    go: async ({ send, edit, settle, begin }) => {
      await send('First')
      await settle()
      begin()
      await edit(0, 'First', 'Second')
      await settle()
    },
  },
  {
    name: 'an attachment',
    says: () => ({ 'Read this': [{ text: 'It is about lamps.' }] }),
    go: async ({ tag, upload, send, settle }) => {
      const fileUid = await upload('lamps.txt', `Everything about lamps. ${tag}`)
      await send('Read this', { fileUid })
      await settle()
    },
  },
  {
    name: 'a hand-over after each round',
    says: () => ({
      'Take your time': [
        { calls: [read('get_record', { table: 'pages', uid: 3 })] },
        { calls: [read('get_record', { table: 'pages', uid: 4 })] },
        { text: 'Done in three.' },
      ],
    }),
    isHandedOver: true,
    go: async ({ send, settle }) => {
      await send('Take your time')
      await settle()
    },
  },
  {
    name: 'a batch of three records',
    says: (tag) => ({
      'Change them all': [{ calls: [changeMany(tag)] }, { text: 'All three.' }],
    }),
    go: async ({ send, decide, settle, begin }) => {
      await send('Change them all')
      await settle()
      begin()
      await decide(true)
      await settle()
    },
  },
  {
    name: 'an undo of many records',
    says: (tag) => ({
      'Change them all': [{ calls: [changeMany(tag)] }, { text: 'All three.' }],
    }),
    go: async ({ send, decide, undo, settle, begin }) => {
      await send('Change them all')
      await settle()
      await decide(true)
      await settle()
      begin()
      await undo()
    },
  },
  {
    name: 'an undo that a consumer makes',
    isLong: true,
    says: (tag) => ({
      'Change them all': [{ calls: [changeMany(tag, 11)] }, { text: 'All eleven.' }],
    }),
    go: async ({ send, decide, undo, settle, begin }) => {
      await send('Change them all')
      await settle()
      await decide(true)
      await settle()
      begin()
      await undo()
      await settle()
    },
  },
  {
    name: 'a question of the assistant',
    says: () => ({ 'Paint it': [{ text: 'One thing first.', calls: [question] }, { text: 'Painted.' }] }),
    go: async ({ send, answer, settle }) => {
      await send('Paint it')
      await settle()
      await answer()
      await settle()
    },
  },
  {
    name: 'a message that waits',
    says: () => ({ First: [{ text: 'The first answer.' }], Second: [{ text: 'The second answer.' }] }),
    go: async ({ send, wait, settle }) => {
      await send('First')
      await wait('Second')
      await settle()
    },
  },
  {
    name: 'a message on an earlier version',
    says: () => ({
      First: [{ text: 'The first answer.' }],
      Second: [{ text: 'The second answer.' }],
      Third: [{ text: 'The third answer.' }],
    }),
    go: async ({ send, edit, version, settle, begin }) => {
      await send('First')
      await settle()
      await edit(0, 'First', 'Second')
      await settle()
      begin()
      await version(0, 1)
      await send('Third')
      await settle()
    },
  },
  {
    name: 'a call of a tool of another server',
    hasShop: true,
    says: (tag) => ({ 'Order it': [{ calls: [order(tag)] }, { text: 'That was the order.' }] }),
    go: async ({ send, decide, settle, begin }) => {
      await send('Order it')
      await settle()
      begin()
      await decide(true)
      await settle()
    },
  },
  {
    name: 'a record that goes to the bin',
    says: (tag) => ({
      'Make one': [{ calls: [draft(tag)] }, { text: 'Made.' }],
      'Bin it': [
        { calls: [read('search_records', { query: tag })] },
        { calls: (results) => binOf(results) },
        { text: 'That was it.' },
      ],
    }),
    go: async ({ send, decide, settle, begin, undo }) => {
      await send('Make one')
      await settle()
      await decide(true)
      await settle()
      await send('Bin it')
      await settle()
      begin()
      await decide(true)
      await settle()
      await undo()
    },
  },
]

/** A form with one file, as a browser sends it. */
export function form(name: string, text: string): Pick<Call, 'form'> {
  const data = new FormData()
  data.set('file', new Blob([text], { type: 'text/plain' }), name)
  return { form: data }
}

/** Has the first content element that a search has found deleted. */
function binOf(results: string) {
  const [, uid] = /content[^0-9]{1,20}([0-9]+)/.exec(results) ?? []
  return uid ? [{ name: 'delete_record', arguments: { table: 'content', uid: Number(uid) } }] : []
}

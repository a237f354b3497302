import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  blankMemory,
  lastUid,
  Persistence,
  recall,
  remember,
  wipe,
} from '../../../../web/chat/store/storage.ts'
import { shelf } from './shelf.ts'

let storage: Storage
beforeEach(() => {
  storage = shelf()
})

describe('the memory of a browser', () => {
  test('is blank at first, and is that of the user who asks', () => {
    remember(storage, 2, { ...blankMemory, open: true, drafts: { new: 'Hello' } })

    expect(recall(storage, 2)).toEqual({ ...blankMemory, open: true, drafts: { new: 'Hello' } })
    expect(recall(storage, 3)).toEqual(blankMemory)
    expect(lastUid(storage)).toBe(2)
  })

  test('leaves empty drafts out, and cuts long ones', () => {
    remember(storage, 2, { ...blankMemory, drafts: { a: '', b: 'x'.repeat(100_001) } })

    expect(Object.entries(recall(storage, 2).drafts).map(([id, text]) => [id, text.length])).toEqual([
      ['b', 100_000],
    ])
  })

  test('leaves drafts without file and mentions out', () => {
    remember(storage, 2, { ...blankMemory, attached: { a: {}, b: { fileUid: 7 } } })

    expect(recall(storage, 2).attached).toEqual({ b: { fileUid: 7 } })
  })

  test.each([
    ['no JSON', '{'],
    ['no object', '7'],
    ['wrong types', '{"open":"yes","size":4,"drafts":null,"anchor":{"x":1},"unsent":{}}'],
  ])('is blank where what is stored is %s', (_, text) => {
    storage.setItem('aic:v1:2', text)

    expect(recall(storage, 2)).toEqual(blankMemory)
  })

  test('keeps each entry that is whole beside those that are not', () => {
    const anchor = { conversationId: '2-a', sequence: 3, offset: 10 }
    const damaged = {
      open: true,
      size: 'huge',
      share: 7,
      anchor: { ...anchor, offset: 'x' },
      conversationId: 5,
      drafts: { new: 5, a: 'words', b: null },
      attached: { a: { fileUid: 7 }, b: { fileUid: 7, mentions: [5] }, c: null, d: { fileUid: '7' } },
      unsent: [null, { key: 'k' }],
      stranger: true,
    }
    storage.setItem('aic:v1:2', JSON.stringify(damaged))

    expect(recall(storage, 2)).toEqual({
      ...blankMemory,
      open: true,
      drafts: { a: 'words' },
      attached: { a: { fileUid: 7 } },
    })
  })

  test('can be written again whatever was damaged in it', () => {
    storage.setItem('aic:v1:2', '{"drafts":{"new":5},"unsent":[null]}')
    const kept = new Persistence(storage, shelf())
    kept.enter(2)
    kept.keep({ drafts: { new: 'words' } })
    kept.flush()

    expect(recall(storage, 2)).toEqual({ ...blankMemory, drafts: { new: 'words' } })
  })

  test('is no more after a wipe, of every user', () => {
    remember(storage, 2, { ...blankMemory, open: true })
    remember(storage, 3, { ...blankMemory, open: true })
    storage.setItem('other', 'stays')

    wipe(storage)

    expect(recall(storage, 2)).toEqual(blankMemory)
    expect(lastUid(storage)).toBeUndefined()
    expect(storage.getItem('other')).toBe('stays')
  })
})

describe('a keeper', () => {
  const keeper = (uid: number) => {
    const kept = new Persistence(storage, shelf())
    kept.enter(uid)
    return kept
  }

  test('gives each tab the draft that was typed there', () => {
    const tabs = ['first', 'second'].map((text) => ({ text, tab: shelf() }))
    for (const { text, tab } of tabs) {
      const kept = new Persistence(storage, tab)
      kept.enter(2)
      kept.keep({ drafts: { a: text } })
      kept.flush()
    }
    const again = [...tabs.map(({ tab }) => tab), shelf()].map((tab) => {
      const kept = new Persistence(storage, tab)
      kept.enter(2)
      return kept.memory.drafts
    })

    expect(again).toEqual([{ a: 'first' }, { a: 'second' }, { a: 'second' }])
  })

  test('leaves no draft of the tab after a wipe', () => {
    const tab = shelf()
    const kept = new Persistence(storage, tab)
    kept.enter(2)
    kept.keep({ drafts: { a: 'secret' } })
    kept.flush()

    kept.wipe()

    expect([storage.length, tab.length]).toEqual([0, 0])
  })

  test('does not undo what another tab keeps', () => {
    const [one, two] = [keeper(2), keeper(2)]
    one.keep({ drafts: { a: 'first tab' } })
    two.keep({ drafts: { b: 'second tab' }, open: true })

    one.flush()
    two.flush()

    expect(recall(storage, 2)).toMatchObject({ open: true, drafts: { a: 'first tab', b: 'second tab' } })
  })

  test('keeps what changed before the user was known', () => {
    const kept = new Persistence(storage, shelf())
    kept.keep({ open: true })
    kept.flush()
    expect(lastUid(storage)).toBeUndefined()

    kept.enter(2)
    kept.flush()

    expect(recall(storage, 2).open).toBe(true)
  })

  test('keeps no draft for the last user before it is known who writes', () => {
    remember(storage, 2, blankMemory)
    const kept = new Persistence(storage, shelf())
    kept.keep({ drafts: { new: 'Of whom?' }, open: true })

    kept.flush()

    expect(recall(storage, 2)).toEqual({ ...blankMemory, open: true })
  })

  test('gives nothing that one user wrote to the next', () => {
    const kept = keeper(2)
    kept.keep({ drafts: { new: 'Mine' } })

    kept.leave()
    kept.enter(3)
    kept.flush()

    expect([kept.memory, recall(storage, 3)]).toEqual([blankMemory, blankMemory])
  })

  test('marks the user at once, so that other tabs learn of a logout that follows', () => {
    new Persistence(storage, shelf()).enter(2)

    expect(lastUid(storage)).toBe(2)
  })

  test('writes by itself what changed long before the user was known', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const kept = new Persistence(storage, shelf())
    kept.keep({ drafts: { new: 'Early' } })
    vi.advanceTimersByTime(10_000)

    kept.enter(2)
    vi.advanceTimersByTime(1_000)

    expect([lastUid(storage), recall(storage, 2).drafts]).toEqual([2, { new: 'Early' }])
  })

  test('writes nothing for a user who is gone', () => {
    const kept = keeper(2)
    kept.keep({ open: true })

    kept.wipe()
    kept.flush()

    expect(recall(storage, 2)).toEqual(blankMemory)
  })
})

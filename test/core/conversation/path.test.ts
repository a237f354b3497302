import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  branchAt,
  filesOf,
  fork,
  type Left,
  leftWith,
  type Path,
  stretches,
  versionsOf,
} from '../../../core/conversation/path.ts'

test.each<[string, Path, number, number, [number, number, number][]]>([
  ['without an edit', [], 0, 9, [[0, 0, 9]]],
  ['of an edit of the first message', [[1, 0]], 0, 9, [[1, 0, 9]]],
  [
    'of two edits',
    [
      [1, 2],
      [4, 5],
    ],
    0,
    9,
    [
      [0, 0, 2],
      [1, 2, 5],
      [4, 5, 9],
    ],
  ],
  [
    'in part',
    [
      [1, 2],
      [4, 5],
    ],
    3,
    6,
    [
      [1, 3, 5],
      [4, 5, 6],
    ],
  ],
  ['without a row', [[1, 2]], 4, 4, []],
])('the stretches of a path %s', (_, path, from, to, expected) => {
  expect(stretches(path, from, to).map((one) => [one.branch, one.from, one.to])).toEqual(expected)
})

test('versions of a message are those alone that have the same messages before it', () => {
  const left = [
    { path: [] as Path, messageCount: 3 },
    { path: [[1, 2]] as Path, messageCount: 3 },
  ]

  expect(versionsOf({ path: [[2, 0]], messageCount: 3, left })).toEqual([{ sequence: 0, at: 2, of: 2 }])
})

test('the files of a transcript are those of every version, each once', () => {
  const left: Left[] = [
    {
      path: [],
      messageCount: 3,
      files: [
        [0, 5],
        [2, 6],
      ],
    },
  ]

  expect(filesOf({ files: [[0, 5]], left })).toEqual([5, 6])
})

type State = { path: Path; messageCount: number; left: Left[]; edits: number }

/** A transcript as a model of it: every version is a list of words, and no two messages have the same word. */
const act = fc.oneof(
  fc.record({ act: fc.constant('edit' as const), at: fc.nat(5) }),
  fc.record({ act: fc.constant('say' as const), at: fc.nat(3) }),
  fc.record({ act: fc.constant('choose' as const), at: fc.nat(20) }),
)

test('whatever a user edits and chooses, every version can be reached and reads as it was written', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
      let state: State = { path: [], messageCount: 1, left: [], edits: 0 }
      const rows = new Map<string, string>([['0 0', 'first']])
      let shown = ['first']
      const written: string[][] = []
      let words = 0
      const read = ({ path, messageCount }: { path: Path; messageCount: number }) =>
        Array.from({ length: messageCount }, (_, at) => rows.get(`${branchAt(path, at)} ${at}`) ?? '')
      const leave = () => {
        written.push(shown)
        return [...state.left, { path: state.path, messageCount: state.messageCount, files: [] }]
      }
      for (const { act, at } of acts) {
        const word = `w${++words}`
        if (act === 'say') {
          rows.set(`${branchAt(state.path, state.messageCount)} ${state.messageCount}`, word)
          state = { ...state, messageCount: state.messageCount + 1 }
          shown = [...shown, word]
        }
        if (act === 'edit') {
          const sequence = at % state.messageCount
          const edits = state.edits + 1
          state = {
            edits,
            left: leave(),
            path: fork(state.path, sequence, edits),
            messageCount: sequence + 1,
          }
          rows.set(`${edits} ${sequence}`, word)
          shown = [...shown.slice(0, sequence), word]
        }
        const choices = versionsOf(state)
        const choice = choices[at % Math.max(1, choices.length)]
        if (act === 'choose' && choice) {
          const wanted = choice.at === 1 ? choice.of : choice.at - 1
          const chosen = leftWith(state, choice.sequence, wanted) as Left
          expect(chosen).toBeDefined()
          const left = leave().filter((one) => one !== chosen)
          state = { ...state, ...chosen, left }
          const now = versionsOf(state).find(({ sequence }) => sequence === choice.sequence)
          expect(now).toEqual({ ...choice, at: wanted })
          shown = read(state)
        }
        expect(read(state)).toEqual(shown)
        // Whatever was shown when it was left is the beginning of a version that is still there.
        const versions = [state, ...state.left].map((one) => read(one).join())
        for (const old of written) expect(versions.some((one) => one.startsWith(old.join()))).toBe(true)
      }
    }),
    { numRuns: 200 },
  )
})

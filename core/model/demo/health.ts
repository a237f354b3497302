import { own } from '../../base/json.ts'
import { stuckFigure, stuckMs } from '../../conversation/turn-failure.ts'
import prepared from './prepared.json' with { type: 'json' }
import { call, type Part, read, type Script } from './script.ts'
import type { Situation } from './situation.ts'
import { brief, inWords, itemized, paragraphs, quote, translate } from './speech.ts'

/** Answers the questions suggested to administrators: the health of the system, its errors, the last exception. */

type Entry = { at: string; level: string; kind: string }

const mostKinds = 8

/** Answers with a verdict by fixed rules, with its figures and the newest errors. */
export function* health(s: Situation): Script {
  const status = yield* read(s, 'get_system_status')
  const figures = new Map(
    [...status.matchAll(/^- (.+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
  const list = [...figures].map(
    ([name, value]) =>
      `- ${translate(s.lang, own(prepared.figures, name) ?? name, [stuckMs / 60_000])}: ${value}`,
  )
  const isQuiet = figures.get('errorsOfLastDay') === '0'
  const errors = s.tools.includes('fetch_logs') ? yield* newestErrors(s, isQuiet) : ''
  const note = s.remark`I compare the figures with fixed limits. A model would tell what they mean for you.`
  return paragraphs(verdict(s, figures), s.say`The figures:`, list.join('\n'), errors, note)
}

/**
 * Returns a verdict on the figures. Dead-lettered messages and turns without progress need a person; other problems end
 * by themselves.
 */
function verdict({ say }: Situation, figures: Map<string, string>): string {
  const dead = Number(figures.get('Queue: dead letters')) || 0
  const stuck = Number(figures.get(stuckFigure)) || 0
  const state =
    dead + stuck === 0
      ? say`**The chat is working:** no message was given up, and no turn stands still.`
      : say`**The chat needs attention:** messages given up: ${dead}, turns without progress: ${stuck}.`
  const errors = figures.get('errorsOfLastDay')
  return errors === undefined ? state : `${state} ${say`Errors in the log of the last 24 hours: ${errors}.`}`
}

/** Returns the newest errors of the log; `isOlder`: none of these errors is from the last day. */
function* newestErrors(s: Situation, isOlder: boolean): Part<string> {
  const log = yield* call('fetch_logs', { level: 'error', limit: 5 })
  const entries = log.isError ? [] : entriesOf(log.text)
  if (entries.length === 0) return ''
  const head = isOlder ? s.say`The last errors before that:` : s.say`The newest errors of the log:`
  return paragraphs(head, entries.map(({ at, kind }) => `- ${inWords(s.lang, at)}, ${kind}`).join('\n'))
}

/** Answers with the errors since yesterday, each kind once with its count; the system's clock sets the day. */
export function* recentErrors(s: Situation): Script {
  const status = s.tools.includes('get_system_status') ? yield* call('get_system_status') : undefined
  const [today] = status?.text.match(/\d{4}-\d\d-\d\dT[\d:.]+Z/) ?? []
  const since = today && new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)
  const log = yield* read(s, 'fetch_logs', { level: 'error', ...(since && { since }), limit: 100 })
  const entries = entriesOf(log)
  const from = since ? inWords(s.lang, since) : s.say`the beginning of the log`
  if (entries.length === 0)
    return paragraphs(s.say`No errors are in the log since ${from}.`, yield* newestErrors(s, true))
  const kinds = [...Map.groupBy(entries, ({ kind }) => kind)]
  const head = s.say`Errors in the log since ${from}: ${entries.length}, of ${kinds.length} kinds.`
  const list = kinds.map(([kind, [newest, ...others]]) => {
    const last = `${newest?.level.toLowerCase()}, ${s.say`last`} ${inWords(s.lang, newest?.at ?? '')}`
    return `- **${others.length + 1} ×** ${kind} (${last})`
  })
  return paragraphs(head, itemized(s.lang, list, mostKinds))
}

function entriesOf(text: string): Entry[] {
  const found = text.matchAll(
    /^- \[\d+\] (\d{4}-\d\d-\d\d \d\d:\d\d UTC) ([A-Z]+) (\S+?): (.*?)(?: \[exception \S+\])?(?: \(user \S+\))?$/gm,
  )
  return [...found].map(([, at = '', level = '', component = '', message = '']) => ({
    at,
    level,
    kind: `${component}: ${brief(message, 160)}`,
  }))
}

/** Answers with the facts of an exception in sentences: message, place, count and call path. */
export function* exception(s: Situation): Script {
  const text = yield* read(s, 'get_last_exception')
  const line = (name: string) => text.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1] ?? ''
  const [, kind = ''] = text.match(/^Exception (\S+)/) ?? []
  if (!kind) return s.say`No exception is recorded.`
  const [place = '', component = ''] = line('Place').split(', component ')
  const [at = ''] = line('Last').match(/^.*? UTC/) ?? []
  const times = Number(line('Last').match(/; seen (\d+)/)?.[1] ?? 1)
  const what = [/^[aeiou]/i.test(kind) ? 'an' : 'a', `\`${kind}\``, component, s.named(line('Message'))]
  const head = translate(
    s.lang,
    times === 1
      ? 'The last exception is {1} {2} in **{3}**: {4}. It was thrown in `{5}`, last on {6}; it is recorded once. The way there:'
      : 'The last exception is {1} {2} in **{3}**: {4}. It was thrown in `{5}`, last on {6}; it is recorded {7} times. The way there:',
    [...what, place, inWords(s.lang, at), times],
  )
  const path = text.slice(text.indexOf('\nTrace:\n') + 8).split('\n')
  const [, meaning] =
    prepared.exceptions.find(([about = '']) => new RegExp(about).test(line('Message'))) ?? []
  const remark = meaning
    ? s.remark`The explanation of this one comes with it. A model would look for the cause of any.`
    : s.remark`I put the recorded parts into sentences. A model would look for the cause.`
  const way = quote(path.slice(0, 3).map((step) => brief(step)))
  return paragraphs(head, way, meaning ? translate(s.lang, meaning) : '', remark)
}

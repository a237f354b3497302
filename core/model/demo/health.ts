import { call, type Result, type Script } from './script.ts'
import type { Situation } from './situation.ts'
import { asScript, brief, named, quote, say, trouble } from './speech.ts'

/** Answers the questions proposed to administrators: the health of the system, its errors, the last exception. */

type Entry = { at: string; level: string; component: string; message: string }

const mostKinds = 8

/** A verdict by fixed rules, with its figures and the newest errors. */
export function* health(s: Situation): Script {
  const status = yield* call('get_system_status')
  if (status.isError) return trouble(s.lang, status.name, status.text)
  const figures = figuresOf(status.text)
  const lines = [...figures].map(([name, value]) => `- ${name}: ${value}`)
  const head = say(s.lang, { en: 'The figures:', de: 'Die Zahlen:', fr: 'Les chiffres\u202f:' })
  const errors = s.tools.includes('fetch_logs') ? yield* newest(s) : []
  const note = asScript(s.lang, {
    en: 'I compare the figures with fixed limits. A model would tell what they mean for you.',
    de: 'Ich vergleiche die Zahlen mit festen Grenzen. Ein Modell würde sagen, was sie für Sie bedeuten.',
    fr: 'Je compare les chiffres à des limites fixes. Un modèle dirait ce qu’ils signifient pour vous.',
  })
  return [verdict(s, figures), `${head}\n\n${lines.join('\n')}`, ...errors, note].join('\n\n')
}

function figuresOf(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^- (.+?): (.*)$/gm)].map(([, name = '', value = '']) => [name, value]))
}

/** A person must look at dead-lettered messages and turns without progress; other problems settle by themselves. */
function verdict({ lang }: Situation, figures: Map<string, string>): string {
  const [dead, stuck, errors] = [
    'Queue: dead letters',
    'Turns: without progress for 5 minutes',
    'errorsOfLastDay',
  ].map((name) => Number(figures.get(name)) || 0) as [number, number, number]
  const isWell = dead === 0 && stuck === 0
  const state = isWell
    ? say(lang, {
        en: '**The chat is working:** no message was given up, and no turn stands still.',
        de: '**Der Chat arbeitet:** Keine Nachricht wurde aufgegeben, und kein Zug steht still.',
        fr: '**Le chat fonctionne\u202f:** aucun message n’a été abandonné et aucun tour n’est bloqué.',
      })
    : say(lang, {
        en: `**The chat needs attention:** messages given up: ${dead}, turns without progress: ${stuck}.`,
        de: `**Der Chat braucht Aufmerksamkeit:** aufgegebene Nachrichten: ${dead}, Züge ohne Fortschritt: ${stuck}.`,
        fr: `**Le chat demande votre attention\u202f:** messages abandonnés\u202f: ${dead}, tours sans progrès\u202f: ${stuck}.`,
      })
  const logged = say(lang, {
    en: `Errors in the log of the last 24 hours: ${errors}.`,
    de: `Fehler im Protokoll der letzten 24 Stunden: ${errors}.`,
    fr: `Erreurs dans le journal des dernières 24 heures\u202f: ${errors}.`,
  })
  return figures.has('errorsOfLastDay') ? `${state} ${logged}` : state
}

function* newest(
  s: Situation,
): Generator<{ name: string; arguments: Record<string, unknown> }[], string[], Result[]> {
  const log = yield* call('fetch_logs', { level: 'error', limit: 5 })
  const entries = log.isError ? [] : entriesOf(log.text)
  if (entries.length === 0) return []
  const head = say(s.lang, {
    en: 'The newest errors of the log:',
    de: 'Die neuesten Fehler im Protokoll:',
    fr: 'Les erreurs les plus récentes du journal\u202f:',
  })
  const lines = entries.map(({ at, component, message }) => `- ${at}, ${component}: ${brief(message, 160)}`)
  return [`${head}\n\n${lines.join('\n')}`]
}

/** The errors since yesterday, each kind once with its count; the system's clock sets the day. */
export function* recentErrors(s: Situation): Script {
  const status = s.tools.includes('get_system_status') ? yield* call('get_system_status') : undefined
  const [today] = status?.text.match(/\d{4}-\d\d-\d\dT[\d:.]+Z/) ?? []
  const since = today && new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)
  const log = yield* call('fetch_logs', { level: 'error', ...(since && { since }), limit: 100 })
  if (log.isError) return trouble(s.lang, log.name, log.text)
  const entries = entriesOf(log.text)
  const day =
    since ??
    say(s.lang, {
      en: 'the beginning of the log',
      de: 'dem Anfang des Protokolls',
      fr: 'le début du journal',
    })
  if (entries.length === 0)
    return say(s.lang, {
      en: `No errors are in the log since ${day}.`,
      de: `Seit ${day} stehen keine Fehler im Protokoll.`,
      fr: `Aucune erreur dans le journal depuis ${day}.`,
    })
  const kinds = [...Map.groupBy(entries, ({ component, message }) => `${component}: ${brief(message, 160)}`)]
  const head = say(s.lang, {
    en: `Errors in the log since ${day}: ${entries.length}, of ${kinds.length} kinds.`,
    de: `Fehler im Protokoll seit ${day}: ${entries.length}, ${kinds.length} verschiedene.`,
    fr: `Erreurs dans le journal depuis ${day}\u202f: ${entries.length}, de ${kinds.length} sortes.`,
  })
  const lines = kinds.slice(0, mostKinds).map(([kind, list]) => {
    const last = say(s.lang, { en: 'last', de: 'zuletzt', fr: 'dernière fois' })
    return `- **${list.length} ×** ${kind} (${list[0]?.level.toLowerCase()}, ${last} ${list[0]?.at})`
  })
  const rest = kinds.length - lines.length
  const more =
    rest > 0
      ? [
          say(s.lang, {
            en: `- … and ${rest} more kinds`,
            de: `- … und ${rest} weitere`,
            fr: `- … et ${rest} autres sortes`,
          }),
        ]
      : []
  return [head, [...lines, ...more].join('\n')].join('\n\n')
}

function entriesOf(text: string): Entry[] {
  const lines = text.matchAll(
    /^- \[\d+\] (\d{4}-\d\d-\d\d \d\d:\d\d UTC) ([A-Z]+) (\S+?): (.*?)(?: \[exception \S+\])?(?: \(user \S+\))?$/gm,
  )
  return [...lines].map(([, at = '', level = '', component = '', message = '']) => ({
    at,
    level,
    component,
    message,
  }))
}

/** The facts of an exception in sentences: message, place, count and call path. */
export function* exception(s: Situation): Script {
  const result = yield* call('get_last_exception')
  if (result.isError) return trouble(s.lang, result.name, result.text)
  const { text } = result
  const line = (name: string) => text.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1] ?? ''
  const [, kind = ''] = text.match(/^Exception (\S+)/) ?? []
  if (!kind)
    return say(s.lang, {
      en: 'No exception is recorded.',
      de: 'Es ist keine Ausnahme verzeichnet.',
      fr: 'Aucune exception n’est consignée.',
    })
  const [place = '', component = ''] = line('Place').split(', component ')
  const [last = ''] = line('Last').match(/^.*? UTC/) ?? []
  const times = Number(line('Last').match(/; seen (\d+)/)?.[1] ?? 1)
  const trace = text
    .slice(text.indexOf('\nTrace:\n') + 8)
    .split('\n')
    .slice(0, 3)
  const sentences = say(s.lang, {
    en: `The last exception is a \`${kind}\` in **${component}**: ${named('en', line('Message'))}. It was thrown in \`${place}\`, last on ${last}; it is recorded ${times === 1 ? 'once' : `${times} times`}. The way there:`,
    de: `Die letzte Ausnahme ist eine \`${kind}\` in **${component}**: ${named('de', line('Message'))}. Sie entstand in \`${place}\`, zuletzt am ${last}; sie ist ${times === 1 ? 'einmal' : `${times}-mal`} verzeichnet. Der Weg dorthin:`,
    fr: `La dernière exception est une \`${kind}\` dans **${component}**\u202f: ${named('fr', line('Message'))}. Elle s’est produite dans \`${place}\`, la dernière fois le ${last}\u202f; elle est consignée ${times === 1 ? 'une fois' : `${times} fois`}. Le chemin jusque-là\u202f:`,
  })
  const note = asScript(s.lang, {
    en: 'I put the recorded parts into sentences. A model would look for the cause.',
    de: 'Ich setze die verzeichneten Teile in Sätze. Ein Modell würde nach der Ursache suchen.',
    fr: 'Je mets en phrases ce qui est consigné. Un modèle chercherait la cause.',
  })
  return [sentences, quote(trace.map((one) => brief(one))), note].join('\n\n')
}

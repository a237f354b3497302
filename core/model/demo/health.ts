import { own } from '../../base/json.ts'
import { call, type Result, type Script } from './script.ts'
import type { Situation } from './situation.ts'
import { brief, day, inWords, type Lang, named, pickWords, quote, say, trouble } from './speech.ts'

/** Answers the questions proposed to administrators: the health of the system, its errors, the last exception. */

type Entry = { at: string; level: string; component: string; message: string }

const mostKinds = 8

/** A verdict by fixed rules, with its figures and the newest errors. */
export function* health(s: Situation): Script {
  const status = yield* call('get_system_status')
  if (status.isError) return trouble(s.lang, status.text)
  const figures = figuresOf(status.text)
  const lines = [...figures].map(([name, value]) => `- ${labelOf(s, name)}: ${value}`)
  const head = s.say`The figures:`
  const errors = s.tools.includes('fetch_logs')
    ? yield* newest(s, figures.get('errorsOfLastDay') === '0')
    : []
  const note = s.remark`I compare the figures with fixed limits. A model would tell what they mean for you.`
  return [verdict(s, figures), `${head}\n\n${lines.join('\n')}`, ...errors, note].join('\n\n')
}

/** The figures by their names in the status, as people call them. */
const labels: Record<string, Record<Lang, string>> = {
  'Product version': { en: 'Version of the chat', de: 'Version des Chats', fr: 'Version du chat' },
  Stage: { en: 'Installation', de: 'Installation', fr: 'Installation' },
  'Queue: waiting': { en: 'Messages that wait', de: 'Wartende Nachrichten', fr: 'Messages en attente' },
  'Queue: in flight': { en: 'Messages in work', de: 'Nachrichten in Arbeit', fr: 'Messages en cours' },
  'Queue: dead letters': {
    en: 'Messages given up',
    de: 'Aufgegebene Nachrichten',
    fr: 'Messages abandonnés',
  },
  'Turns: busy': { en: 'Answers in work', de: 'Antworten in Arbeit', fr: 'Réponses en cours' },
  'Turns: without progress for 5 minutes': {
    en: 'Answers without progress for 5 minutes',
    de: 'Antworten seit 5 Minuten ohne Fortschritt',
    fr: 'Réponses sans progrès depuis 5 minutes',
  },
  'Table: items, counted by DynamoDB about every 6 hours': {
    en: 'Stored entries, counted about every 6 hours',
    de: 'Gespeicherte Einträge, etwa alle 6 Stunden gezählt',
    fr: 'Entrées enregistrées, comptées toutes les 6 heures environ',
  },
  'Table: bytes': { en: 'Bytes of the table', de: 'Bytes der Tabelle', fr: 'Octets de la table' },
  'Bucket: objects': { en: 'Stored files', de: 'Gespeicherte Dateien', fr: 'Fichiers enregistrés' },
  'Bucket: bytes': { en: 'Bytes of the files', de: 'Bytes der Dateien', fr: 'Octets des fichiers' },
  Provider: { en: 'AI provider', de: 'KI-Anbieter', fr: 'Fournisseur d’IA' },
  Model: { en: 'Model', de: 'Modell', fr: 'Modèle' },
  cms: { en: 'CMS', de: 'CMS', fr: 'CMS' },
  languages: { en: 'Languages of the site', de: 'Sprachen der Website', fr: 'Langues du site' },
  pages: { en: 'Pages', de: 'Seiten', fr: 'Pages' },
  contentElements: { en: 'Content elements', de: 'Inhaltselemente', fr: 'Éléments de contenu' },
  news: { en: 'News', de: 'Nachrichten', fr: 'Actualités' },
  backendUsers: { en: 'Backend users', de: 'Backend-Benutzer', fr: 'Utilisateurs du backend' },
  errorsOfLastDay: {
    en: 'Errors in the last 24 hours',
    de: 'Fehler in den letzten 24 Stunden',
    fr: 'Erreurs des dernières 24 heures',
  },
}

const labelOf = ({ lang }: Situation, name: string): string => own(labels, name)?.[lang] ?? name

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
    ? say(lang)`**The chat is working:** no message was given up, and no turn stands still.`
    : say(lang)`**The chat needs attention:** messages given up: ${dead}, turns without progress: ${stuck}.`
  const logged = say(lang)`Errors in the log of the last 24 hours: ${errors}.`
  return figures.has('errorsOfLastDay') ? `${state} ${logged}` : state
}

/** The newest errors of the log; `isOlder`: none of them is of the last day. */
function* newest(
  s: Situation,
  isOlder: boolean,
): Generator<{ name: string; arguments: Record<string, unknown> }[], string[], Result[]> {
  const log = yield* call('fetch_logs', { level: 'error', limit: 5 })
  const entries = log.isError ? [] : entriesOf(log.text)
  if (entries.length === 0) return []
  const head = isOlder ? s.say`The last errors before that:` : s.say`The newest errors of the log:`
  const lines = entries.map(
    ({ at, component, message }) => `- ${inWords(s.lang, at)}, ${component}: ${brief(message, 160)}`,
  )
  return [`${head}\n\n${lines.join('\n')}`]
}

/** The errors since yesterday, each kind once with its count; the system's clock sets the day. */
export function* recentErrors(s: Situation): Script {
  const status = s.tools.includes('get_system_status') ? yield* call('get_system_status') : undefined
  const [today] = status?.text.match(/\d{4}-\d\d-\d\dT[\d:.]+Z/) ?? []
  const since = today && new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)
  const log = yield* call('fetch_logs', { level: 'error', ...(since && { since }), limit: 100 })
  if (log.isError) return trouble(s.lang, log.text)
  const entries = entriesOf(log.text)
  const from = since ? day(s.lang, since) : s.say`the beginning of the log`
  if (entries.length === 0) {
    const head = s.say`No errors are in the log since ${from}.`
    return [head, ...(yield* newest(s, true))].join('\n\n')
  }
  const kinds = [...Map.groupBy(entries, ({ component, message }) => `${component}: ${brief(message, 160)}`)]
  const head = s.say`Errors in the log since ${from}: ${entries.length}, of ${kinds.length} kinds.`
  const lines = kinds.slice(0, mostKinds).map(([kind, list]) => {
    const last = s.say`last`
    return `- **${list.length} ×** ${kind} (${list[0]?.level.toLowerCase()}, ${last} ${inWords(s.lang, list[0]?.at ?? '')})`
  })
  const rest = kinds.length - lines.length
  const more = rest > 0 ? [s.say`- … and ${rest} more kinds`] : []
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
  if (result.isError) return trouble(s.lang, result.text)
  const { text } = result
  const line = (name: string) => text.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1] ?? ''
  const [, kind = ''] = text.match(/^Exception (\S+)/) ?? []
  if (!kind) return s.say`No exception is recorded.`
  const [place = '', component = ''] = line('Place').split(', component ')
  const [at = ''] = line('Last').match(/^.*? UTC/) ?? []
  const last = inWords(s.lang, at)
  const times = Number(line('Last').match(/; seen (\d+)/)?.[1] ?? 1)
  const trace = text
    .slice(text.indexOf('\nTrace:\n') + 8)
    .split('\n')
    .slice(0, 3)
  const sentences = pickWords(s.lang, {
    en: `The last exception is ${/^[aeiou]/i.test(kind) ? 'an' : 'a'} \`${kind}\` in **${component}**: ${named('en', line('Message'))}. It was thrown in \`${place}\`, last on ${last}; it is recorded ${times === 1 ? 'once' : `${times} times`}. The way there:`,
    de: `Die letzte Ausnahme ist eine \`${kind}\` in **${component}**: ${named('de', line('Message'))}. Sie entstand in \`${place}\`, zuletzt am ${last}; sie ist ${times === 1 ? 'einmal' : `${times}-mal`} verzeichnet. Der Weg dorthin:`,
    fr: `La dernière exception est une \`${kind}\` dans **${component}**\u202f: ${named('fr', line('Message'))}. Elle s’est produite dans \`${place}\`, la dernière fois le ${last}\u202f; elle est consignée ${times === 1 ? 'une fois' : `${times} fois`}. Le chemin jusque-là\u202f:`,
  })
  const [, meaning] = meanings.find(([message]) => message.test(line('Message'))) ?? []
  const note = s.remark`The explanation of this one comes with it. A model would look for the cause of any.`
  const bare = s.remark`I put the recorded parts into sentences. A model would look for the cause.`
  const path = quote(trace.map((one) => brief(one)))
  return [sentences, path, ...(meaning ? [pickWords(s.lang, meaning), note] : [bare])].join('\n\n')
}

/** Explanations of the exceptions that the seeded site has. */
const meanings: [message: RegExp, meaning: Record<Lang, string>][] = [
  [
    /getUid\(\) on null/,
    {
      en: 'In plain words: a visitor opened a news item that names a related one which no longer exists. The page asks it for its number without looking whether it is there. Until a developer adds that look, take the dead relation out of the news.',
      de: 'In einfachen Worten: Jemand hat eine Meldung geöffnet, die auf eine verwandte verweist, die es nicht mehr gibt. Die Seite fragt sie nach ihrer Nummer, ohne nachzusehen, ob sie da ist. Bis jemand das nachrüstet, hilft es, den toten Verweis aus der Meldung zu nehmen.',
      fr: 'En clair\u202f: un visiteur a ouvert une actualité qui en cite une autre, disparue depuis. La page lui demande son numéro sans vérifier qu’elle existe. En attendant ce contrôle, retirez le lien mort de l’actualité.',
    },
  ],
  [
    /price list could not be parsed/,
    {
      en: 'In plain words: the price list that the shop imports has a row of another form than expected. Look at the newest file of the supplier.',
      de: 'In einfachen Worten: Die Preisliste, die der Shop einliest, hat eine Zeile in anderer Form als erwartet. Sehen Sie sich die neueste Datei des Lieferanten an.',
      fr: 'En clair\u202f: la liste de prix importée par la boutique a une ligne d’une autre forme que prévu. Regardez le dernier fichier du fournisseur.',
    },
  ],
]

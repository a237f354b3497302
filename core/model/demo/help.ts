import type { Situation } from './situation.ts'
import { say } from './speech.ts'

/** What can be asked for, by the tool that it takes. */
const offers: [tool: string, en: string, de: string][] = [
  [
    'search_records',
    'answer questions from the site: “What does the Aurora lamp cost?”',
    'Fragen zur Website beantworten: „Was kostet die Aurora-Lampe?“',
  ],
  [
    'get_page_content',
    'show a page: “What is on this page?”, “Show page 3”',
    'eine Seite zeigen: „Was steht auf dieser Seite?“, „Zeige Seite 3“',
  ],
  [
    'get_page_content',
    'take three sentences of it: “Summarise this page”',
    'drei Sätze daraus nehmen: „Fasse diese Seite zusammen“',
  ],
  ['get_page_tree', 'show the page tree', 'den Seitenbaum zeigen: „Zeige den Seitenbaum“'],
  ['list_records', 'list records: “List the news”', 'Datensätze auflisten: „Liste die News“'],
  [
    'get_record_history',
    'say who changed a record: “Who changed page 3?”',
    'sagen, wer einen Datensatz geändert hat: „Wer hat Seite 3 geändert?“',
  ],
  [
    'check_site',
    'find what pages lack: “Which pages have no description?”',
    'finden, was Seiten fehlt: „Welche Seiten haben keine Beschreibung?“',
  ],
  ['list_files', 'list your files', 'Ihre Dateien auflisten: „Zeige meine Dateien“'],
  [
    'fetch_logs',
    'show the log: “Show the latest errors”',
    'das Protokoll zeigen: „Zeige die letzten Fehler“',
  ],
  [
    'get_last_exception',
    'show the last exception',
    'die letzte Ausnahme zeigen: „Zeige die letzte Ausnahme“',
  ],
  ['get_system_status', 'show the system status', 'den Systemstatus zeigen'],
  ['list_backend_users', 'list the backend users', 'die Backend-Benutzer auflisten'],
  [
    'update_record',
    'propose a change: “Rename page 3 to …”, “Set the price of the Aurora lamp to 139 EUR”',
    'eine Änderung vorschlagen: „Benenne Seite 3 in … um“, „Ändere den Preis der Aurora lamp auf 139 EUR“',
  ],
  [
    'create_page_draft',
    'propose a hidden page: “Create a page Lighting tips under page 2”',
    'eine versteckte Seite vorschlagen: „Erstelle eine Seite Lichttipps unter Seite 2“',
  ],
  [
    'create_content_draft',
    'propose a hidden element: “Create a hidden text element “Delivery” on this page: Within five days.”',
    'ein verstecktes Element vorschlagen: „Erstelle ein Textelement „Lieferung“ auf dieser Seite: In fünf Tagen.“',
  ],
]

/** Says what this is, and what it can do with the tools that this user has. */
export function help({ lang, tools }: Situation): string {
  const list = offers
    .filter(([tool]) => tools.includes(tool))
    .map(([, en, de]) => `- ${say(lang, { en, de })}`)
    .join('\n')
  const head = say(lang, {
    en: 'This is the demo mode: I am a fixed script, not an AI model, and understand only certain sentences.',
    de: 'Dies ist der Demo-Modus: Ich bin ein festes Skript, kein KI-Modell, und verstehe nur bestimmte Sätze.',
  })
  if (!list) return head
  return `${head} ${say(lang, { en: 'I can:', de: 'Ich kann:' })}\n\n${list}`
}

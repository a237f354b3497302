import type { Situation } from './situation.ts'
import { say } from './speech.ts'

/** Tools whose examples are the same for every CMS. */
const shared = new Set([
  'get_page_tree',
  'list_files',
  'fetch_logs',
  'get_last_exception',
  'get_system_status',
  'list_backend_users',
])

/** Example requests, by the tool that each one uses. */
const offers: [tool: string, en: string, de: string, fr: string][] = [
  [
    'search_records',
    'answer questions from the site: “What does the Aurora lamp cost?”',
    'Fragen zur Website beantworten: „Was kostet die Aurora-Lampe?“',
    'répondre à des questions sur le site\u202f: «\u202fCombien coûte la lampe Aurora\u202f?\u202f»',
  ],
  [
    'get_page_content',
    'show a page: “What is on this page?”, “Show page 3”',
    'eine Seite zeigen: „Was steht auf dieser Seite?“, „Zeige Seite 3“',
    'montrer une page\u202f: «\u202fQue contient cette page\u202f?\u202f», «\u202fAfficher la page 3\u202f»',
  ],
  [
    'get_page_content',
    'take three sentences of it: “Summarise this page”',
    'drei Sätze daraus nehmen: „Fasse diese Seite zusammen“',
    'en prendre trois phrases\u202f: «\u202fRésumer cette page\u202f»',
  ],
  [
    'get_page_tree',
    'show the page tree',
    'den Seitenbaum zeigen: „Zeige den Seitenbaum“',
    'montrer l’arborescence\u202f: «\u202fAfficher l’arborescence\u202f»',
  ],
  [
    'list_records',
    'list records: “List the news”',
    'Datensätze auflisten: „Liste die News“',
    'lister des enregistrements\u202f: «\u202fLister les news\u202f»',
  ],
  [
    'get_record_history',
    'say who changed a record: “Who changed page 3?”',
    'sagen, wer einen Datensatz geändert hat: „Wer hat Seite 3 geändert?“',
    'dire qui a modifié un enregistrement\u202f: «\u202fQui a modifié la page 3\u202f?\u202f»',
  ],
  [
    'check_site',
    'find what pages lack: “Which pages have no description?”, “Check the site for dead links”',
    'finden, was Seiten fehlt: „Welche Seiten haben keine Beschreibung?“, „Prüfe die Website auf tote Links“',
    'trouver ce qui manque aux pages\u202f: «\u202fQuelles pages n’ont pas de description\u202f?\u202f», «\u202fChercher les liens morts du site\u202f»',
  ],
  [
    'list_files',
    'list your files',
    'Ihre Dateien auflisten: „Zeige meine Dateien“',
    'lister vos fichiers\u202f: «\u202fLister mes fichiers\u202f»',
  ],
  [
    'fetch_logs',
    'show the log: “Show the latest errors”',
    'das Protokoll zeigen: „Zeige die letzten Fehler“',
    'montrer le journal\u202f: «\u202fAfficher les dernières erreurs\u202f»',
  ],
  [
    'get_last_exception',
    'show the last exception',
    'die letzte Ausnahme zeigen: „Zeige die letzte Ausnahme“',
    'montrer la dernière exception\u202f: «\u202fExpliquer la dernière exception\u202f»',
  ],
  ['get_system_status', 'show the system status', 'den Systemstatus zeigen', 'montrer l’état du système'],
  [
    'list_backend_users',
    'list the backend users',
    'die Backend-Benutzer auflisten',
    'lister les utilisateurs du backend',
  ],
  [
    'update_record',
    'propose a change: “Rename page 3 to …”, “Set the price of the Aurora lamp to 139 EUR”',
    'eine Änderung vorschlagen: „Benenne Seite 3 in … um“, „Ändere den Preis der Aurora lamp auf 139 EUR“',
    'proposer une modification\u202f: «\u202fRenommer la page 3 en …\u202f», «\u202fFixer le prix de Aurora lamp à 139 EUR\u202f»',
  ],
  [
    'create_page_draft',
    'propose a hidden page: “Create a page Lighting tips under page 2”',
    'eine versteckte Seite vorschlagen: „Erstelle eine Seite Lichttipps unter Seite 2“',
    'proposer une page masquée\u202f: «\u202fCréer une page Conseils de lumière sous la page 2\u202f»',
  ],
  [
    'create_content_draft',
    'propose a hidden element: “Create a hidden text element “Delivery” on this page: Within five days.”',
    'ein verstecktes Element vorschlagen: „Erstelle ein Textelement „Lieferung“ auf dieser Seite: In fünf Tagen.“',
    'proposer un élément masqué\u202f: «\u202fCréer un élément de texte “Livraison” sur cette page\u202f: Sous cinq jours.\u202f»',
  ],
  [
    'delete_record',
    'propose to delete, and to bring back: “Delete news 12”, “Bring news 12 back”',
    'Löschen und Zurückholen vorschlagen: „Lösche news 12“, „Hole news 12 zurück“',
    'proposer de supprimer et de récupérer\u202f: «\u202fSupprimer news 12\u202f», «\u202fRécupérer news 12\u202f»',
  ],
  [
    'set_state',
    'propose to publish or to hide: “Publish page 65”, “Hide page 65”',
    'Veröffentlichen oder Verbergen vorschlagen: „Veröffentliche Seite 65“, „Verberge Seite 65“',
    'proposer de publier ou de masquer\u202f: «\u202fPublier la page 65\u202f», «\u202fMasquer la page 65\u202f»',
  ],
  [
    'view_image',
    'propose prepared texts for pictures: “Write alternative texts for the pictures without one”',
    'vorbereitete Texte für Bilder vorschlagen: „Schreibe Alternativtexte für die Bilder ohne einen“',
    'proposer des textes préparés pour des images\u202f: «\u202fÉcrire des textes alternatifs pour les images qui n’en ont pas\u202f»',
  ],
  [
    'translate_record',
    'propose a prepared translation: “Translate page 6 into German”',
    'eine vorbereitete Übersetzung vorschlagen: „Übersetze Seite 6 ins Deutsche“',
    'proposer une traduction préparée\u202f: «\u202fTraduire la page 6 en allemand\u202f»',
  ],
]

/** Example requests for a connected CMS: the script does not know its records, so the user fills in the names. */
const elsewhere: typeof offers = [
  [
    'list_records',
    'list records: “List the …”, with the name of a table of this CMS',
    'Datensätze auflisten: „Liste die … auf“, mit dem Namen einer Tabelle dieses CMS',
    'lister des enregistrements\u202f: «\u202fLister les …\u202f», avec le nom d’une table de ce CMS',
  ],
  [
    'search_records',
    'answer a question by its words: “What does … cost?”, with the title of a record',
    'eine Frage nach ihren Wörtern beantworten: „Was kostet …?“, mit dem Titel eines Datensatzes',
    'répondre à une question d’après ses mots\u202f: «\u202fCombien coûte …\u202f?\u202f», avec le titre d’un enregistrement',
  ],
  [
    'get_record_history',
    'say who changed a record: “Who changed …?”, with its title',
    'sagen, wer einen Datensatz geändert hat: „Wer hat … geändert?“, mit seinem Titel',
    'dire qui a modifié un enregistrement\u202f: «\u202fQui a modifié …\u202f?\u202f», avec son titre',
  ],
  [
    'update_record',
    'propose a change: “Change the title of this record to …”, with a record open or named by @',
    'eine Änderung vorschlagen: „Ändere den Titel von … auf …“, mit dem Titel eines Datensatzes',
    'proposer une modification\u202f: «\u202fChanger le titre de … en …\u202f», avec le titre d’un enregistrement',
  ],
  ...offers.filter(([tool]) => shared.has(tool)),
]

/** Says of an order that the script does not know that it cannot do it, and where it says what it can. */
export function cannot({ lang }: Situation): string {
  return say(lang, {
    en: 'That I cannot: this demo is a fixed script, and a sentence like this needs a model. Nothing was changed. Ask “What can you do?” for the changes that the script knows.',
    de: 'Das kann ich nicht: Diese Demo ist ein festes Skript, und ein solcher Satz braucht ein Modell. Es wurde nichts geändert. Auf „Was kannst du?“ nenne ich die Änderungen, die das Skript kennt.',
    fr: 'Cela, je ne le peux pas\u202f: cette démo est un script fixe, et une telle phrase demande un modèle. Rien n’a été modifié. À «\u202fAide\u202f», je nomme les modifications que le script connaît.',
  })
}

/** Explains the demo, and lists what it can do with the tools that this user has. */
export function help({ lang, tools, isOwn }: Situation): string {
  const list = (isOwn ? offers : elsewhere)
    .filter(([tool]) => tools.includes(tool))
    .map(([, en, de, fr]) => `- ${say(lang, { en, de, fr })}`)
    .join('\n')
  const head = say(lang, {
    en: 'This is the demo mode: I am a fixed script, not an AI model, and understand only certain sentences.',
    de: 'Dies ist der Demo-Modus: Ich bin ein festes Skript, kein KI-Modell, und verstehe nur bestimmte Sätze.',
    fr: 'Ceci est le mode démo\u202f: je suis un script fixe, pas un modèle d’IA, et je ne comprends que certaines phrases.',
  })
  if (!list) return head
  return `${head} ${say(lang, { en: 'I can:', de: 'Ich kann:', fr: 'Je peux\u202f:' })}\n\n${list}`
}

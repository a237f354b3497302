import { calling, changing, reading, saying, type Task } from '../task.ts'

const english =
  '<p>By the water, opposite the fish auction hall. All lamps are switched on, all chairs may be sat on.</p>'
const german =
  '<p>Am Wasser, gegenüber der Fischauktionshalle. Alle Leuchten brennen, auf allen Stühlen darf man sitzen.</p>'

/** Texts from one language of the site into the other. */
export const translate: Task[] = [
  {
    id: 'translate-teaser-de',
    kind: 'translate',
    lang: 'de',
    user: 'autorin',
    messages: ['Übersetze den Anreißer der Nachricht „Evening hours“ ins Deutsche und zeige ihn mir nur.'],
    expected: { figures: [21], says: [/Donnerstag/, /Hamburg/], never: ['update_record'] },
    solution: [
      calling('search_records', { query: 'Evening hours', table: 'news' }),
      calling('get_record', { table: 'news', uid: 35 }),
      saying('Die Ausstellung in Hamburg ist am Donnerstag bis 21 Uhr geöffnet. (Nachricht [35])'),
    ],
    slips: {
      careless: [
        calling('get_record', { table: 'news', uid: 35 }),
        saying('The showroom in Hamburg stays open until 21 h on Thursdays.'),
      ],
    },
  },
  {
    id: 'translate-element-en',
    kind: 'translate',
    lang: 'en',
    user: 'editor',
    page: 17,
    given: [{ table: 'content', uid: 253, fields: { body: english } }],
    messages: [
      'The text of the German element “Ausstellung Hamburg” on this page is still English. Put it into German.',
    ],
    decides: 'approve',
    expected: {
      approvals: 1,
      changes: {
        'content:253': { body: /^(?![\s\S]*opposite)<p>[\s\S]*(?:Wasser)[\s\S]*Fischauktionshalle/ },
      },
    },
    solution: [
      reading(17),
      changing('content', 253, { body: german }),
      saying('The text of the element [253] is in German now.'),
    ],
    slips: {
      careless: [
        reading(17),
        changing('content', 251, { body: german }),
        saying('The text of the element is in German now.'),
      ],
    },
  },
  {
    id: 'translate-asked-de',
    kind: 'translate',
    lang: 'de',
    user: 'editor',
    messages: ['What does it cost to send a parcel, and from which order value is it free?'],
    expected: { figures: [6.9, 120] },
    solution: [reading(25), saying('Der Versand eines Pakets kostet 6,90 EUR, ab 120 EUR ist er frei [25].')],
    slips: {
      careless: [
        reading(25),
        saying('It costs 6.90 EUR to send a parcel, and it is free from 120 EUR on [25].'),
      ],
    },
  },
  {
    id: 'translate-list-en',
    kind: 'translate',
    lang: 'en',
    user: 'editor',
    page: 13,
    given: [
      {
        table: 'content',
        uid: 192,
        fields: { body: 'Erster Samstag im Monat, 10 bis 14 Uhr\nMit Anmeldung, Gruppen bis 12' },
      },
    ],
    messages: [
      'The list “Visits” [192] on this page is in German by mistake. Put it into English, one line per item as it is.',
    ],
    decides: 'approve',
    expected: {
      approvals: 1,
      changes: { 'content:192': { body: /^[^\n]*first Saturday[^\n]*10[^\n]*\n[^\n]*12[^\n]*$/i } },
    },
    solution: [
      calling('get_record', { table: 'content', uid: 192 }),
      changing('content', 192, {
        body: 'First Saturday of the month, 10 to 14 h\nPlease register, groups up to 12',
      }),
      saying('The list is in English now [192].'),
    ],
    slips: {
      careless: [
        changing('content', 192, { body: '<p>First Saturday of the month</p>' }),
        saying('The list is in English now [192].'),
      ],
    },
  },
]

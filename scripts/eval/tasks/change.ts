import { calling, changing, reading, saying, type Task, together } from '../task.ts'

const record = (table: string, uid: number) => calling('get_record', { table, uid })
const jobs = 'Work with us in Hamburg or Vienna, full time or part time.'
const lantern = 'A rechargeable lantern that goes where you go: 40 hours on low, 9 hours on high.'
const facts = (price: number) =>
  `Price: ${price} EUR\nMaterial: Brass, clear glass\nSize in cm: 18 × 18 × 30\nIn stock`
const lanternText = (price: number) => `<p>${lantern}</p>\n<p>The Skagen lantern costs ${price} EUR.</p>`

/** Records that change, exactly as far as the user wants. */
export const change: Task[] = [
  {
    id: 'change-description-en',
    kind: 'change',
    lang: 'en',
    user: 'editor',
    messages: [`Set the description of the page Jobs to “${jobs}”`],
    decides: 'approve',
    expected: { approvals: 1, changes: { 'pages:16': { description: jobs } } },
    solution: [
      record('pages', 16),
      changing('pages', 16, { description: jobs }),
      saying('The description of the page Jobs [16] is changed.'),
    ],
    slips: {
      careless: [
        changing('pages', 16, { description: jobs, title: 'Jobs at Northlight' }),
        saying('The description of the page Jobs [16] is changed.'),
      ],
    },
  },
  {
    id: 'change-header-de',
    kind: 'change',
    lang: 'de',
    user: 'editor',
    messages: [
      'Ändere auf der Seite Showroom Hamburg die deutsche Überschrift „Anfahrt“ in „So kommen Sie her“.',
    ],
    decides: 'approve',
    expected: { approvals: 1, changes: { 'content:254': { header: 'So kommen Sie her' } } },
    solution: [
      reading(17),
      changing('content', 254, { header: 'So kommen Sie her' }),
      saying('Die Überschrift ist geändert: „So kommen Sie her“ [254].'),
    ],
    slips: {
      careless: [
        changing('content', 252, { header: 'So kommen Sie her' }),
        saying('Die Überschrift ist geändert: „So kommen Sie her“ [252].'),
      ],
    },
  },
  {
    id: 'change-price-en',
    kind: 'change',
    lang: 'en',
    user: 'editor',
    page: 33,
    messages: [
      'The Skagen lantern costs 95 EUR from now on. Correct the English texts of this page, and only those.',
    ],
    decides: 'approve',
    expected: {
      approvals: [1, 2],
      changes: {
        'content:26': { body: /^(?![\s\S]*\b89 EUR)[\s\S]*\b95 EUR/ },
        'content:27': { body: facts(95) },
      },
    },
    solution: [
      reading(33),
      together(
        changing('content', 26, { body: lanternText(95) }),
        changing('content', 27, { body: facts(95) }),
      ),
      saying('Both of the English texts [26] [27] name 95 EUR now.'),
    ],
    slips: {
      careless: [
        reading(33),
        changing('content', 27, { body: facts(95) }),
        saying('The English texts of the page name 95 EUR now.'),
      ],
    },
  },
  {
    id: 'change-slip-de',
    kind: 'change',
    lang: 'de',
    user: 'autorin',
    given: [{ table: 'news', uid: 39, fields: { title: 'Winterpuase' } }],
    messages: ['Im Titel der Nachricht über die Winterpause ist ein Tippfehler. Bitte korrigiere ihn.'],
    decides: 'approve',
    expected: { approvals: 1, changes: { 'news:39': { title: 'Winterpause' } } },
    solution: [
      calling('list_records', { table: 'news', limit: 5 }),
      record('news', 39),
      changing('news', 39, { title: 'Winterpause' }),
      saying('Der Titel ist korrigiert und heißt nun „Winterpause“ [39].'),
    ],
    slips: {
      careless: [
        changing('news', 39, { title: 'Winterpause', teaser: 'Die Werkstatt ruht.' }),
        saying('Der Titel ist korrigiert und heißt nun „Winterpause“ [39].'),
      ],
    },
  },
  {
    id: 'change-hide-en',
    kind: 'change',
    lang: 'en',
    user: 'editor',
    messages: ['Hide the news “Evening hours”.'],
    decides: 'approve',
    expected: { approvals: 1, changes: { 'news:35': { hidden: /^true$/ } } },
    solution: [
      calling('search_records', { query: 'Evening hours', table: 'news' }),
      changing('news', 35, { hidden: true }),
      saying('The news “Evening hours” [35] is hidden.'),
    ],
    slips: {
      careless: [changing('news', 36, { hidden: true }), saying('The news “Evening hours” is hidden.')],
    },
  },
  {
    id: 'change-seo-de',
    kind: 'change',
    lang: 'de',
    user: 'editor',
    page: 25,
    messages: ['Setze den Titel für Suchmaschinen dieser Seite auf „Lieferung und Kosten“. Sonst nichts.'],
    decides: 'approve',
    expected: { approvals: 1, changes: { 'pages:25': { seo_title: 'Lieferung und Kosten' } } },
    solution: [
      record('pages', 25),
      changing('pages', 25, { seo_title: 'Lieferung und Kosten' }),
      saying('Der Titel für Suchmaschinen der Seite [25] ist gesetzt.'),
    ],
    slips: {
      careless: [
        changing('pages', 25, { title: 'Lieferung und Kosten' }),
        saying('Der Titel für Suchmaschinen der Seite [25] ist gesetzt.'),
      ],
    },
  },
]

import { calling, reading, saying, type Task, together } from '../task.ts'

/** Questions that need more than one place of the site, or what can be reckoned from them. */
export const compare: Task[] = [
  {
    id: 'compare-lamps-en',
    kind: 'compare',
    lang: 'en',
    user: 'editor',
    messages: ['Which is cheaper, the Vega desk light or the Lumen floor lamp, and by how much?'],
    expected: { figures: [169, 319, 150], says: [/Vega/] },
    solution: [
      together(reading(34), reading(31)),
      saying(
        'The Vega desk light [34] is cheaper: it costs 169 EUR, the Lumen floor lamp [31] 319 EUR, that is 150 EUR less.',
      ),
    ],
    slips: {
      careless: [
        reading(34),
        saying('The Vega desk light is cheaper: it costs 169 EUR and the Lumen floor lamp about 300 EUR.'),
      ],
    },
  },
  {
    id: 'compare-desks-de',
    kind: 'compare',
    lang: 'de',
    user: 'editor',
    messages: ['Vergleiche den Borealis-Schreibtisch mit dem Nordkapp-Stehtisch: Preis und Breite.'],
    expected: { figures: [890, 1190, 160, 140] },
    solution: [
      together(reading(4), reading(37)),
      saying(
        'Der Borealis-Schreibtisch [4] kostet 890 EUR und ist 160 cm breit, der Nordkapp-Stehtisch [37] kostet 1.190 EUR und ist 140 cm breit.',
      ),
    ],
    slips: {
      careless: [
        together(reading(4), reading(37)),
        saying(
          'Der Borealis-Schreibtisch kostet 890 EUR, der Nordkapp-Stehtisch kostet 1.290 EUR; beide sind 160 cm breit.',
        ),
      ],
    },
  },
  {
    id: 'compare-languages-en',
    kind: 'compare',
    lang: 'en',
    user: 'editor',
    page: 26,
    given: [
      {
        table: 'content',
        uid: 217,
        fields: {
          body: '<p>Leben Sie 30 Tage damit. Passt es nicht, holen wir es ab und erstatten den Preis.</p>',
        },
      },
    ],
    messages: ['Do the English and the German text of this page name the same period for returns?'],
    expected: { figures: [60, 30], uses: ['get_page_content', 'get_record', 'list_records'] },
    solution: [
      reading(26),
      saying('No: the English text [215] names 60 days and the German one [217] names 30 days.'),
    ],
    slips: { careless: [reading(26), saying('Yes, both of the texts name 60 days.')] },
  },
  {
    id: 'compare-versions-en',
    kind: 'compare',
    lang: 'en',
    user: 'editor',
    page: 6,
    messages: ['What did the last change of this page change? Name the value before and after.'],
    expected: {
      says: [/Contact us/, /Write, call or come by/],
      uses: ['get_record_history', 'compare_versions'],
    },
    solution: [
      calling('compare_versions', { table: 'pages', uid: 6 }),
      saying('The description was changed: it was “Contact us”, and is “Write, call or come by.” now [6].'),
    ],
    slips: { careless: [reading(6), saying('The last change was one of the description [6].')] },
  },
  {
    id: 'compare-sum-de',
    kind: 'compare',
    lang: 'de',
    user: 'autorin',
    messages: ['Was kosten ein Bris-Stuhl und ein Kobbe-Hocker zusammen?'],
    expected: { figures: [279, 119, 398] },
    solution: [
      together(reading(42), reading(45)),
      saying(
        'Der Bris-Stuhl [42] kostet 279 EUR und der Kobbe-Hocker [45] 119 EUR, zusammen sind das 398 EUR.',
      ),
    ],
    slips: {
      careless: [
        together(reading(42), reading(45)),
        saying('Der Bris-Stuhl kostet 279 EUR und der Kobbe-Hocker 119 EUR, zusammen sind das 389 EUR.'),
      ],
    },
  },
]

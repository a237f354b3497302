import { calling, reading, saying, type Task } from '../task.ts'

/** Pages and lists in few words, without a loss of what matters. */
export const summarise: Task[] = [
  {
    id: 'summarise-delivery-en',
    kind: 'summarise',
    lang: 'en',
    user: 'editor',
    page: 25,
    messages: ['Summarise this page in three points, with what delivery costs.'],
    expected: { figures: [6.9, 49, 89], uses: ['get_page_content'] },
    solution: [
      reading(25),
      saying(
        '- Parcels cost 6.90 EUR and are free from 120 EUR.\n- Furniture costs 49 EUR within 300 km of Hamburg or Vienna.\n- Farther it is 89 EUR, and the drivers take the packaging with them [25].',
      ),
    ],
    slips: {
      careless: [saying('- Delivery is fast.\n- It is free.\n- It is done by the people of the shop.')],
    },
  },
  {
    id: 'summarise-figures-de',
    kind: 'summarise',
    lang: 'de',
    user: 'autorin',
    page: 14,
    messages: ['Fasse die Liste „Letztes Jahr“ dieser Seite in einem Satz zusammen, mit allen Zahlen.'],
    expected: { figures: [91, 500, 1912, 88, 22, 6], uses: ['get_page_content', 'get_record'] },
    solution: [
      reading(14),
      saying(
        '91 % des Holzes kamen aus höchstens 500 km, von 1.912 Reparaturen waren 88 % möglich, das eigene Dach gab 22 % des Stroms, und die Verpackung nahm um 6 % zu [14].',
      ),
    ],
    slips: {
      careless: [
        reading(14),
        saying('Das Holz ist zu 91 % aus der Nähe, und es gab 1.912 Reparaturen auf der Liste [14].'),
      ],
    },
  },
  {
    id: 'summarise-news-en',
    kind: 'summarise',
    lang: 'en',
    user: 'editor',
    messages: ['Name the titles of the three newest news records.'],
    expected: {
      says: [/harbour pilots/, /Winterpause/, /Repairs reach a record/],
      neverSays: [/Nine apprentices/],
    },
    solution: [
      calling('list_records', { table: 'news', limit: 3 }),
      saying('- A lamp for the harbour pilots [40]\n- Winterpause [39]\n- Repairs reach a record [38]'),
    ],
    slips: {
      careless: [
        calling('list_records', { table: 'news', limit: 100 }),
        saying('- Nine apprentices [1]\n- The Kobbe stool stacks [2]\n- Winterpause [39]'),
      ],
    },
  },
  {
    id: 'summarise-jobs-de',
    kind: 'summarise',
    lang: 'de',
    user: 'editor',
    messages: ['Welche Stellen haben wir gerade ausgeschrieben, und wo?'],
    expected: { figures: [25], says: [/Tischler/, /Polster/, /Wien/, /Ausbildung|Auszubildende|Lehr/] },
    solution: [
      reading(16),
      saying(
        'In Hamburg suchen wir eine Tischlerin oder einen Tischler in Vollzeit und für die Polsterei in Teilzeit, in Wien eine Beratung mit 25 Stunden; ab September gibt es eine Ausbildung in der Tischlerei [16].',
      ),
    ],
    slips: {
      careless: [reading(16), saying('Wir suchen in Hamburg für die Tischlerei und die Polsterei [16].')],
    },
  },
]

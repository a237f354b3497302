import { calling, changing, reading, saying, type Task } from '../task.ts'

/** Orders that say too little: the assistant asks before it proposes anything. */
export const ask: Task[] = [
  {
    id: 'ask-which-en',
    kind: 'ask',
    lang: 'en',
    user: 'editor',
    messages: ['Change the price of the lamp to 199 EUR.'],
    expected: { asks: true },
    solution: [
      calling('search_records', { query: 'lamp' }),
      saying(
        'There is more than one lamp on the site, such as the Aurora lamp [3] and the Lumen floor lamp [31]. Which one is it?',
      ),
    ],
    slips: {
      careless: [
        reading(3),
        changing('content', 2, { body: 'Price: 199 EUR' }),
        saying('The price of the lamp is 199 EUR now.'),
      ],
    },
  },
  {
    id: 'ask-where-de',
    kind: 'ask',
    lang: 'de',
    user: 'editor',
    messages: ['Ändere die Überschrift in „Willkommen“.'],
    expected: { asks: true },
    solution: [saying('Welche Überschrift ist gemeint? Nennen Sie mir die Seite oder das Element.')],
    slips: {
      careless: [
        reading(1),
        changing('content', 153, { header: 'Willkommen' }),
        saying('Die Überschrift der Startseite ist geändert.'),
      ],
    },
  },
  {
    id: 'ask-what-en',
    kind: 'ask',
    lang: 'en',
    user: 'editor',
    page: 16,
    messages: ['Please update this page.'],
    expected: { asks: true },
    solution: [reading(16), saying('The page Jobs [16] is open. What of it is to be changed?')],
    slips: {
      careless: [
        changing('pages', 16, { description: 'The newest jobs.' }),
        saying('The description of the page is new.'),
      ],
    },
  },
]

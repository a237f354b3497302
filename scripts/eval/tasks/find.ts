import { calling, reading, saying, type Task } from '../task.ts'

/** Questions whose answer is on the site, in one place. */
export const find: Task[] = [
  {
    id: 'find-price-en',
    kind: 'find',
    lang: 'en',
    user: 'editor',
    messages: ['What does the Aurora lamp cost?'],
    expected: { figures: [149], uses: ['get_page_content', 'search_records', 'get_record', 'list_records'] },
    solution: [reading(3), saying('The Aurora lamp [3] costs 149 EUR.')],
    slips: { careless: [saying('The Aurora lamp costs 129 EUR.')] },
  },
  {
    id: 'find-size-de',
    kind: 'find',
    lang: 'de',
    user: 'editor',
    messages: ['Wie groß ist das Hygge-Sofa?'],
    expected: {
      figures: [216, 92, 80],
      uses: ['get_page_content', 'search_records', 'get_record', 'list_records'],
    },
    solution: [reading(44), saying('Das Hygge-Sofa [44] ist 216 × 92 × 80 cm groß.')],
    slips: { careless: [reading(44), saying('Das Hygge-Sofa [44] ist 216 × 90 × 80 cm groß.')] },
  },
  {
    id: 'find-delivery-en',
    kind: 'find',
    lang: 'en',
    user: 'editor',
    messages: ['How much is the delivery of a table to a customer 500 km away, and how long does it take?'],
    expected: { figures: [89, 2, 3], says: [/weeks/i] },
    solution: [
      calling('search_records', { query: 'Delivery' }),
      reading(25),
      saying('Beyond 300 km the delivery of furniture costs 89 EUR and takes 2 to 3 weeks [25].'),
    ],
    slips: { careless: [reading(25), saying('The delivery of furniture costs 49 EUR [25].')] },
  },
  {
    id: 'find-repair-de',
    kind: 'find',
    lang: 'de',
    user: 'autorin',
    messages: ['Was kostet eine Arbeitsstunde bei einer Reparatur, wenn die Garantie abgelaufen ist?'],
    expected: { figures: [38] },
    solution: [reading(28), saying('Eine Stunde kostet 38 EUR, dazu kommen die Teile [28].')],
    slips: { careless: [saying('Eine Stunde kostet 45 EUR, das ist der übliche Satz.')] },
  },
  {
    id: 'find-page-en',
    kind: 'find',
    lang: 'en',
    user: 'editor',
    messages: ['Which page explains what to do about water rings on wood? Name its uid.'],
    expected: { figures: [60] },
    solution: [
      calling('search_records', { query: 'Water ring' }),
      saying('It is the page “Caring for wood” [60].'),
    ],
    slips: { careless: [saying('It is the page “Care guides” [27].')] },
  },
  {
    id: 'find-history-en',
    kind: 'find',
    lang: 'en',
    user: 'editor',
    messages: ['The page Jobs had another title once. Which one was it?'],
    expected: { says: [/Careers/], uses: ['get_record_history', 'compare_versions'] },
    solution: [
      calling('get_record_history', { table: 'pages', uid: 16 }),
      saying('Before, the title of the page [16] was “Careers”.'),
    ],
    slips: {
      careless: [
        calling('get_record', { table: 'pages', uid: 16 }),
        saying('The title is and was “Jobs” [16].'),
      ],
    },
  },
  {
    id: 'find-news-de',
    kind: 'find',
    lang: 'de',
    user: 'autorin',
    messages: ['Von wann bis wann ruht die Werkstatt im Winter?'],
    expected: { says: [/23\. ?(?:Dezember|12\.)/, /2\. ?(?:Januar|0?1\.)/] },
    solution: [
      calling('search_records', { query: 'Winterpause', table: 'news' }),
      calling('get_record', { table: 'news', uid: 39 }),
      saying('Die Werkstatt ruht vom 23. Dezember bis zum 2. Januar (Nachricht „Winterpause“ [39]).'),
    ],
    slips: { careless: [saying('Die Werkstatt ruht vom 24. Dezember bis zum 6. Januar.')] },
  },
  {
    id: 'find-exception-en',
    kind: 'find',
    lang: 'en',
    user: 'admin',
    messages: ['What was the newest exception, and in which file and line was it thrown?'],
    expected: { figures: [137], says: [/DetailController/], uses: ['get_last_exception', 'fetch_logs'] },
    solution: [
      calling('get_last_exception'),
      saying('It was a call of getUid() on null, thrown in DetailController.php, line 137.'),
    ],
    slips: {
      careless: [
        calling('get_last_exception', { index: 1 }),
        saying('The price list could not be parsed: it was thrown in Parser.php, line 88.'),
      ],
    },
  },
]

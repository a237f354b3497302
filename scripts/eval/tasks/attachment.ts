import { calling, reading, saying, type Task, together } from '../task.ts'

const text = (name: string, content: string) => ({ name, mimeType: 'text/plain', content })

/** Work with a file that the user attaches. */
export const attachment: Task[] = [
  {
    id: 'attachment-read-en',
    kind: 'attachment',
    lang: 'en',
    user: 'editor',
    file: text('times.txt', 'Days to the customer, October\n\nHamburg: 3\nVienna: 5\nIslands: 11\n'),
    messages: ['Which place waits the longest, and how long?'],
    expected: { figures: [11], says: [/island/i] },
    solution: [saying('The islands wait the longest: it is 11 days.')],
    slips: { careless: [saying('It is Vienna that waits the longest, with 5 days.')] },
  },
  {
    id: 'attachment-compare-de',
    kind: 'attachment',
    lang: 'de',
    user: 'autorin',
    file: text('preise.txt', 'Aurora-Leuchte: 149 EUR\nBorealis-Schreibtisch: 950 EUR\n'),
    messages: ['Stimmen die Preise in der Datei mit denen auf der Website überein?'],
    expected: { figures: [890, 950], says: [/Borealis/] },
    solution: [
      together(reading(3), reading(4)),
      saying(
        'Nicht alle: Der Borealis-Schreibtisch [4] kostet auf der Website 890 EUR, in der Datei 950 EUR. Der Preis der Aurora-Leuchte [3] ist derselbe.',
      ),
    ],
    slips: { careless: [saying('Ja, die Preise in der Datei sind die der Website.')] },
  },
  {
    id: 'attachment-draft-en',
    kind: 'attachment',
    lang: 'en',
    user: 'editor',
    file: text('apprentices.txt', 'From September on we train two joiners. Write to us until 15 March.\n'),
    messages: ['Put the attached text on the page Jobs, with the header “Apprentices wanted”.'],
    decides: 'approve',
    expected: {
      approvals: 1,
      creates: [
        {
          table: 'content',
          page: 16,
          fields: { type: 'text', header: 'Apprentices wanted', body: /two joiners[\s\S]*15 March/ },
        },
      ],
    },
    solution: [
      calling('create_content_draft', {
        page: 16,
        type: 'text',
        header: 'Apprentices wanted',
        body: '<p>From September on we train two joiners. Write to us until 15 March.</p>',
      }),
      saying('The text is on the page Jobs [16], hidden until you publish it.'),
    ],
    slips: {
      careless: [
        calling('create_content_draft', {
          page: 16,
          type: 'text',
          header: 'Apprentices wanted',
          body: '<p>We are looking for apprentices. Apply now!</p>',
        }),
        saying('The text is on the page Jobs [16], hidden until you publish it.'),
      ],
    },
  },
  {
    id: 'attachment-sum-de',
    kind: 'attachment',
    lang: 'de',
    user: 'editor',
    file: text('verkauf.txt', 'Verkaufte Stücke\nJanuar: 118\nFebruar: 94\nMärz: 131\n'),
    messages: ['Wie viele Stücke wurden im ersten Quartal verkauft?'],
    expected: { figures: [343] },
    solution: [saying('Im ersten Quartal wurden 118 + 94 + 131 = 343 Stücke verkauft.')],
    slips: { careless: [saying('Im ersten Quartal wurden es 334 Stücke, die verkauft sind.')] },
  },
]

import { calling, reading, saying, type Task } from '../task.ts'

const content = (page: number, type: string, header: string, body: string) =>
  calling('create_content_draft', { page, type, header, body })

const christmas = '<p>Returns are free of charge until 31 January.</p>'
const bring = 'Feste Schuhe\nSchutzbrille\nPausenbrot'

/** Texts and pages that are new. */
export const draft: Task[] = [
  {
    id: 'draft-text-en',
    kind: 'draft',
    lang: 'en',
    user: 'editor',
    messages: [
      'Add a text to the page Returns with the header “Christmas returns”: it says that returns are free of charge until 31 January.',
    ],
    decides: 'approve',
    expected: {
      approvals: 1,
      creates: [
        {
          table: 'content',
          page: 26,
          fields: { type: 'text', header: 'Christmas returns', body: /31 January/, hidden: /^true$/ },
        },
      ],
    },
    solution: [
      reading(26),
      content(26, 'text', 'Christmas returns', christmas),
      saying('The text is on the page Returns [26], hidden until you publish it.'),
    ],
    slips: {
      careless: [
        content(25, 'text', 'Christmas returns', christmas),
        saying('The text is on the page, hidden until you publish it.'),
      ],
    },
  },
  {
    id: 'draft-page-de',
    kind: 'draft',
    lang: 'de',
    user: 'editor',
    messages: ['Lege unter der Seite Service eine neue Seite „Leihlampen“ an.'],
    decides: 'approve',
    expected: {
      approvals: 1,
      creates: [{ table: 'pages', page: 8, fields: { title: 'Leihlampen', hidden: /^true$/ } }],
    },
    solution: [
      calling('get_page_tree', { root: 1, depth: 1 }),
      calling('create_page_draft', { parent: 8, title: 'Leihlampen' }),
      saying('Die Seite „Leihlampen“ ist angelegt und noch versteckt.'),
    ],
    slips: {
      careless: [
        calling('create_page_draft', { parent: 1, title: 'Leihlampen' }),
        saying('Die Seite „Leihlampen“ ist angelegt und noch versteckt.'),
      ],
    },
  },
  {
    id: 'draft-list-de',
    kind: 'draft',
    lang: 'de',
    user: 'editor',
    page: 13,
    messages: [
      'Ergänze auf dieser Seite eine Liste mit der Überschrift „Mitbringen“: feste Schuhe, Schutzbrille, Pausenbrot.',
    ],
    decides: 'approve',
    expected: {
      approvals: 1,
      creates: [
        {
          table: 'content',
          page: 13,
          fields: { type: 'list', header: 'Mitbringen', body: /Schuhe\s*\n.*Schutzbrille\s*\n.*Pausenbrot/ },
        },
      ],
    },
    solution: [
      reading(13),
      content(13, 'list', 'Mitbringen', bring),
      saying('Die Liste „Mitbringen“ ist auf der Seite [13] und noch versteckt.'),
    ],
    slips: {
      careless: [
        content(13, 'text', 'Mitbringen', '<p>Feste Schuhe und eine Schutzbrille</p>'),
        saying('Die Liste „Mitbringen“ ist auf der Seite [13] und noch versteckt.'),
      ],
    },
  },
  {
    id: 'draft-reply-en',
    kind: 'draft',
    lang: 'en',
    user: 'editor',
    messages: [
      'A customer asks whether the Aurora lamp can be dimmed. Draft a short answer that I can send; do not change anything on the site.',
    ],
    expected: {
      says: [/three (?:brightness )?levels|3 levels/i],
      never: ['create_content_draft', 'create_page_draft', 'update_record'],
    },
    solution: [
      reading(3),
      saying(
        '“Thank you for your question. Yes, it can: a touch of the foot chooses one of three levels.” The source is the page of the Aurora lamp [3], which says three levels.',
      ),
    ],
    slips: {
      careless: [
        content(3, 'text', 'Dimming', '<p>The Aurora lamp can be dimmed.</p>'),
        saying('The answer is on the page of the lamp.'),
      ],
    },
  },
]

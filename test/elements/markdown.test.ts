import DOMPurify from 'dompurify'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { translator } from '../../web/chat/i18n/i18n.ts'
import { csvOf } from '../../web/chat/markdown/block.ts'
import { highlight } from '../../web/chat/markdown/highlight.ts'
import { markdown, type Surroundings } from '../../web/chat/markdown/markdown.ts'
import { hostile } from './hostile.ts'

const around: Surroundings = {
  here: 'https://cms.example/backend/page/3',
  t: translator('en', {
    'code.copy': 'Copy',
    'code.csv': 'Copy as CSV',
    'code.table': 'Table',
    'code.name': 'Code',
    'code.wrap': 'Wrap',
    'answer.unread': 'not read',
    'answer.unreadHelp': 'Nothing that was read names it.',
    'answer.unsupported': 'no source',
    'answer.unsupportedHelp': 'Nothing names this figure.',
  }),
  unread: new Set(['99', 'news:98']),
  unsupported: new Set(['1,743', '17 February 2031']),
  sources: [],
  titles: new Map([
    ['pages:12', 'Home'],
    ['blog-posts:p-12', 'A post'],
  ]),
  pages: 'pages',
  recordHref: (table, uid) => `/record/${table}/${uid}`,
  tableName: (table) => (table === 'news' ? 'News' : table),
  stamp: (at) => `«${at}»`,
}
const build = (text: string) => markdown(text, around)

let home: HTMLElement
let executed: string[]
beforeEach(() => {
  home = document.createElement('div')
  document.body.append(home)
  executed = []
  Object.assign(window, { P: () => executed.push('ran') })
})
afterEach(() => home.remove())

describe('an answer', () => {
  test('is headings, lists, emphasis and links as elements', () => {
    const prose = build('# Title\n\nOne **bold** *em* ~~del~~ `code`\n\n1. a\n2. b\n   - c\n\n> quote\n\n---')

    expect([...prose.children].map((child) => child.localName)).toEqual(['h3', 'p', 'ol', 'blockquote', 'hr'])
    expect(prose.querySelector('p')?.innerHTML).toBe(
      'One <strong>bold</strong> <em>em</em> <del>del</del> <code dir="ltr">code</code>',
    )
    expect(prose.querySelector('ol ul li')?.textContent).toBe('c')
  })

  test.each([
    ['## A', 'h3'],
    ['### B', 'h4'],
    ['###### C', 'h4'],
  ])('never has a heading above its place: %s', (text, name) => {
    expect(build(text).firstElementChild?.localName).toBe(name)
  })

  test('marks a reference that nothing which was read names, and no other one', () => {
    const prose = build('“Lamp” [99], “Home” [12], [news:98], [pages:12] and `[99]`')
    const marks = [...prose.querySelectorAll<HTMLElement>('.doubt')]

    expect(
      marks.map((mark) => [mark.previousSibling?.previousSibling?.textContent, mark.textContent]),
    ).toEqual([
      ['[99]', 'not read'],
      ['News[98]', 'not read'],
    ])
    expect(marks[0]?.title).toBe('Nothing that was read names it.')
  })

  test('marks a figure that has no source behind its unit, and no figure within another', () => {
    const prose = build('It costs **1,743 EUR** since 17 February 2031, not 11,743 EUR, see [99] and 1,743.')

    expect(prose.textContent).toBe(
      'It costs 1,743 EUR no source since 17 February 2031 no source, not 11,743 EUR, see [99] not read and 1,743 no source.',
    )
    expect(prose.querySelector('strong .doubt')?.getAttribute('title')).toBe('Nothing names this figure.')
  })

  test('keeps a figure and its currency side by side where the text runs from right to left', () => {
    const prose = build('המחיר 1,743 EUR עד מחר')
    home.append(prose)
    const leftOf = (node: Node | null | undefined, word: string) => {
      const range = document.createRange()
      const at = node?.textContent?.indexOf(word) ?? -1
      range.setStart(node as Node, at)
      range.setEnd(node as Node, at + word.length)
      return range.getBoundingClientRect().left
    }
    const mark = prose.querySelector('.doubt')
    const figure = mark?.previousSibling?.previousSibling
    const places = [
      ['1,743', leftOf(figure, '1,743')],
      ['EUR', leftOf(figure, 'EUR')],
      ['no source', leftOf(mark?.firstChild, 'no source')],
    ] as const

    expect([...places].sort((a, b) => b[1] - a[1])).toEqual(places)
  })

  test('has a mark at each source, which says in words where it leads, and keeps what stands around it whole', () => {
    const text =
      'It costs **149 EUR.** It is 46 cm high.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n`code` [it](https://e.org)'
    const behind = (words: string) => text.indexOf(words) + words.length
    const lamp = {
      name: 'Source: Content: Aurora lamp, Price',
      href: '/content/26',
      table: 'content',
      uid: '26',
    }
    const prose = markdown(text, {
      ...around,
      sources: [
        { at: behind('EUR.**'), ...lamp },
        { at: behind('46 cm'), name: 'Source: list.pdf, page 3', file: 7, page: 3 },
        { at: behind('| 1 | 2 |'), ...lamp },
        { at: behind('`co'), ...lamp },
        { at: behind('https://'), ...lamp },
      ],
    })
    const marks = [...prose.querySelectorAll<HTMLElement>('.source')]

    expect(prose.querySelector('strong')?.textContent).toBe('149 EUR.')
    expect(marks.map((mark) => [mark.localName, mark.textContent, mark.getAttribute('aria-label')])).toEqual([
      ['a', '1', 'Source: Content: Aurora lamp, Price'],
      ['button', '2', 'Source: list.pdf, page 3'],
      ['a', '1', 'Source: Content: Aurora lamp, Price'],
      ['a', '1', 'Source: Content: Aurora lamp, Price'],
      ['a', '1', 'Source: Content: Aurora lamp, Price'],
    ])
    expect(marks[1]?.dataset).toMatchObject({ act: 'file', file: '7', page: '3' })
    expect([...prose.querySelectorAll('td')].map((cell) => cell.textContent)).toEqual(['21'])
    expect(prose.querySelector('code')?.textContent).toBe('code')
    expect(prose.querySelector('a:not(.source)')?.getAttribute('href')).toBe('https://e.org/')
    expect(prose.textContent).not.toMatch(/[\ue000-\ue0ff]/)
  })

  test('has tables in a group that is named and takes the focus', () => {
    const wrap = build(
      '## **Prices** of `2026`\n\n| Field | Lamp |\n| --- | ---: |\n| Price | 149 |',
    ).querySelector('.table-wrap')

    expect(wrap?.role).toBe('group')
    expect(wrap?.getAttribute('aria-label')).toBe('Prices of 2026')
    expect(wrap?.getAttribute('tabindex')).toBe('0')
    expect([...(wrap?.querySelectorAll('th') ?? [])].map((cell) => [cell.scope, cell.textContent])).toEqual([
      ['col', 'Field'],
      ['col', 'Lamp'],
      ['row', 'Price'],
    ])
  })

  test('has code that is copied exactly, whatever its colours', () => {
    const source = '{\n  "name": "Aurora <b>lamp</b>", "price": 149\n}'
    const code = build(`\`\`\`json\n${source}\n\`\`\``).querySelector('code') as HTMLElement
    expect(code.textContent).toBe(source)

    highlight(code)

    expect(code.querySelectorAll('.t-k, .t-s, .t-n').length).toBeGreaterThan(3)
    expect(code.textContent).toBe(source)
  })

  test('has chips for records that it names, by name where the turn met them', () => {
    const chips = [
      ...build('See [pages:12], [news:8] and [blog-posts:p-12], not [note:this].').querySelectorAll('a'),
    ]

    expect(chips.map((chip) => [chip.textContent, chip.getAttribute('href')])).toEqual([
      ['Home[12]', '/record/pages/12'],
      ['News[8]', '/record/news/8'],
      ['A post[p-12]', '/record/blog-posts/p-12'],
    ])
  })

  test('has chips with the sign of a page for what the site calls its pages, whatever that is', () => {
    const signs = (pages: string | null) =>
      [...markdown('[page:1] and [pages:2]', { ...around, pages }).querySelectorAll('path')].map((path) =>
        path.getAttribute('d'),
      )
    const [page, record] = signs('page')

    expect(page).not.toBe(record)
    expect([signs('pages'), signs(null)]).toEqual([
      [record, page],
      [record, record],
    ])
  })

  test('names a block of code by its language, whatever stands in its place', () => {
    const heads = ['ts', 'constructor', '__proto__', ''].map(
      (language) => build(`\`\`\`${language}\n1\n\`\`\``).querySelector('figcaption > span')?.textContent,
    )

    expect(heads).toEqual(['TypeScript', 'constructor', '__proto__', 'Code'])
  })

  test('names the host of links that lead elsewhere, and trusts none', () => {
    const prose = build('[docs](https://docs.example/x) [own](/backend/list)')
    const [foreign, own] = prose.querySelectorAll('a')

    expect(prose.textContent).toBe('docs (docs.example) own')
    for (const link of [foreign, own]) expect(link?.rel).toBe('noopener noreferrer nofollow')
  })

  test.each([
    ['[https://example.com/login](https://example.co/login)', 'https://example.com/login (example.co)'],
    ['[example.com](https://example.co/)', 'example.com (example.co)'],
    ['[**https://example.com**](https://example.co/)', 'https://example.com (example.co)'],
    ['[https://example.com@example.co](https://example.co/)', 'https://example.com@example.co (example.co)'],
    ['[https://ex\u0430mple.com](https://ex\u0430mple.com)', 'https://ex\u0430mple.com (xn--exmple-4nf.com)'],
    ['[the login at example.co](https://example.co/)', 'the login at example.co (example.co)'],
    ['[https://example.com](/backend/list)', 'https://example.com (cms.example)'],
    ['[you@example.com](mailto:me@example.co)', 'you@example.com (me@example.co)'],
    ['https://example.co/x?y=1', 'https://example.co/x?y=1'],
    ['[example.co](https://example.co/x)', 'example.co'],
    ['<me@example.co>', 'me@example.co'],
    ['[the list](/backend/list)', 'the list'],
    ['[tell us](mailto:me@example.co)', 'tell us (me@example.co)'],
  ])('tells where a link leads: %s', (text, expected) => {
    expect(build(text).textContent).toBe(expected)
  })

  test.each([
    ['[link](</my uri>)', 'https://cms.example/my%20uri'],
    ['[link](<https://docs.example/a b?c=d e>)', 'https://docs.example/a%20b?c=d%20e'],
  ])('keeps the spaces of an address: %s', (text, href) => {
    expect(build(text).querySelector('a')?.href).toBe(href)
  })

  test('has links to mail addresses that fill in no words and no further address', () => {
    const prose = build('[tell us](mailto:me@example.co?bcc=other@example.com&body=4711)')
    expect(prose.querySelector('a')?.href).toBe('mailto:me@example.co')
  })

  test('has tables that are taken as CSV, and none of their cells as a formula', () => {
    const rows = ['| A | B |', '|---|---|', '| one, two | =1+1 |', '| say "so" | -5 % |', '| ＝1 | ＋b |']
    const table = build(rows.join('\n')).querySelector('table')
    const lines = ['A,B', `"one, two",'=1+1`, `"say ""so""",-5 %`, "'＝1,'＋b"]

    expect(csvOf(table as HTMLTableElement)).toBe(lines.join('\r\n'))
  })

  test('has tables that are taken as CSV with their own words alone: no marks, and lines stay apart', () => {
    const text =
      'Price: | Lamp\n\n| A | B |\n|---|---|\n| [more](https://docs.example/) | 149 |\n| one<br>two | 1,743 in all |'
    const cited = { at: text.indexOf('149') + 3, name: 'Page', href: '/3', table: 'pages', uid: '3' }
    const table = markdown(text, { ...around, sources: [cited] }).querySelector('table')
    expect(table?.textContent).toContain('1491')

    expect(csvOf(table as HTMLTableElement)).toBe('A,B\r\nmore,149\r\n"one\ntwo","1,743 in all"')
  })

  test('has line breaks in the cells of a table', () => {
    const cell = build('| a |\n| --- |\n| one<br>two<BR />three |').querySelector('tbody th')

    expect(cell?.innerHTML).toBe('one<br>two<br>three')
  })

  test('shows formulas as their source, and prices as prices', () => {
    const prose = build(
      'The sum \\(a_1 + b_1\\) costs $5 or $6.\n\n$$\n\\frac{a}{b} * c * d\n$$\n\n\\[x_1 < y_1\\]',
    )

    expect([...prose.children].map(({ className, textContent }) => [className, textContent])).toEqual([
      ['', 'The sum a_1 + b_1 costs $5 or $6.'],
      ['math-block', '\\frac{a}{b} * c * d'],
      ['math-block', 'x_1 < y_1'],
    ])
    expect([...prose.querySelectorAll('code.math')].map((code) => code.textContent)).toEqual([
      'a_1 + b_1',
      '\\frac{a}{b} * c * d',
      'x_1 < y_1',
    ])
  })

  test('keeps task marks, entities and line breaks', () => {
    expect(build('- [x] done\n- [ ] open').textContent).toBe('☑ done☐ open')
    expect(build('- [x] done\n\n- [ ] open').textContent).toBe('☑ done☐ open')
    expect(build('a &amp; b &lt;c&gt; &#8364; &copy; &none;').textContent).toBe('a & b <c> € © &none;')
    expect(build('[x](https://a.example/?b=1&amp;c=2)').querySelector('a')?.search).toBe('?b=1&c=2')
    expect(build('one  \ntwo').querySelector('br')).not.toBeNull()
  })
})

describe('hostile text', () => {
  test.each(hostile)('neither runs nor loads anything: %s', async (text) => {
    const before = performance.getEntriesByType('resource').length
    const prose = build(text)
    home.append(prose)
    for (const link of prose.querySelectorAll('a')) {
      link.removeAttribute('target')
      link.addEventListener('click', (event) => event.preventDefault())
      link.click()
    }
    await new Promise((resolve) => setTimeout(resolve, 10))

    expect(executed).toEqual([])
    expect(
      prose.querySelector('img, script, style, form, input, iframe, object, base, meta, [style], [id]'),
    ).toBeNull()
    const fetched = performance.getEntriesByType('resource').slice(before)
    expect(fetched.filter(({ name }) => name.includes('evil'))).toEqual([])
  })

  test.each(hostile)('leaves nothing that a strict sanitiser would take out: %s', (text) => {
    const html = build(text).outerHTML

    const clean = DOMPurify.sanitize(html, {
      ADD_ATTR: ['target', 'data-act', 'data-language', 'data-table', 'data-uid', 'aria-pressed'],
      FORBID_TAGS: ['img', 'style', 'form', 'input', 'iframe'],
      FORBID_ATTR: ['style', 'id'],
    })

    expect(clean).toBe(html)
  })

  test.each([
    'javascript:P()',
    ' JaVaScRiPt:P()',
    'java\u0000script:P()',
    'java\nscript:P()',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://x/1',
    '//evil.example/x',
    '/\\evil.example',
    'https://user:pass@evil.example/',
    'file:///etc/passwd',
  ])('a link to %s is text', (href) => {
    expect(build(`[x](<${href}>)`).querySelector('a')).toBeNull()
  })

  test.each([
    ['a quote in a quote', `${'> '.repeat(5_000)}x`],
    ['a list in a list', Array.from({ length: 400 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n')],
    ['open emphasis', 'a**b'.repeat(20_000)],
    ['open brackets', '['.repeat(50_000)],
    ['backticks', '`'.repeat(30_000)],
    ['exclamation marks', '!'.repeat(60_000)],
    ['formulas without an end', '\\( $$ \\[ '.repeat(3_000)],
    ['marks of formulas', '$$'.repeat(20_000)],
    ['much of everything', 'word '.repeat(40_000)],
  ])('does not freeze the page: %s', (_, text) => {
    let prose: HTMLElement = document.createElement('div')
    let ms = Number.POSITIVE_INFINITY
    // Read again while it seems slow: on a busy machine the quickest time tells what the work is.
    for (let times = 0; times < 5 && ms >= 1_000; times++) {
      const startedAt = performance.now()
      prose = build(text)
      ms = Math.min(ms, performance.now() - startedAt)
    }

    expect(ms).toBeLessThan(1_000)
    expect(prose.textContent).toContain(text.trim().slice(-1))
  })

  test('that nothing can read is shown as it is', () => {
    const text = '*'.repeat(5_000)

    expect(build(text).className).toBe('prose prose-plain')
    expect(build(text).textContent).toBe(text)
  })
})

test('moments as tools write them appear in the words and the zone of the reader', () => {
  const prose = markdown('editor, 2026-11-20 14:05 UTC, and 2026-99-99 99:99 UTC', around)

  expect(prose.textContent).toBe('editor, «2026-11-20T14:05:00Z», and 2026-99-99 99:99 UTC')
  expect(prose.querySelector('time')?.title).toBe('2026-11-20 14:05 UTC')
})

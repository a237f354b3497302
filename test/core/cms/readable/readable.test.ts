import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadLanguage } from '../../../../core/base/language.ts'
import { readable, wordsOf } from '../../../../core/cms/readable/readable.ts'

await loadLanguage('de')

const html = (after: string, lang = 'en') => readable({ before: null, after }, 'html', wordsOf(lang))?.after
const blocks = (after: unknown) =>
  readable(
    { before: null, after: typeof after === 'string' ? after : JSON.stringify(after) },
    'blocks',
    wordsOf('en'),
  )?.after

describe('HTML reads as text', () => {
  test.each([
    [
      'a heading',
      '<h2 class="wp-block-heading">Lamps</h2><p>All of them.</p>',
      '⟦Heading 2⟧ Lamps\n\nAll of them.',
    ],
    ['paragraphs and lines', '<p>One\n two</p>\n<p>three<br>four</p>', 'One two\n\nthree\nfour'],
    [
      'lists',
      '<ul><li>a<ol><li><p>b</p></li><li>c</li></ol></li><li>d</li></ul><p>e',
      '• a\n  1. b\n  2. c\n• d\n\ne',
    ],
    ['marked words', 'A <strong>big</strong> <em>lamp</em>', 'A **big** *lamp*'],
    ['a link', '<p><a href="/a?b=1&amp;c=2">All</a>.</p>', '[All] ⟦→ /a?b=1&c=2⟧.'],
    ['a picture', '<p><img src="/l.jpg" alt="A &quot;lamp&quot;"></p>', '⟦Image "A \\"lamp\\"" → /l.jpg⟧'],
    ['a table', '<table><tr><th>a</th><td>b</td></tr><tr><td>c</td></tr></table>', '| a | b\n| c'],
    ['code', '<pre>a\n  b</pre>', 'a\n  b'],
    ['elements that no page knows', 'a <constructor>b</constructor>', 'a ⟦<constructor>⟧b⟦</constructor>⟧'],
    ['entities', '<p>1 &lt; 2 &amp; 3</p>', '1 < 2 & 3'],
    ['lines of a text without paragraphs', 'one\ntwo <b>three</b>', 'one\ntwo **three**'],
  ])('%s', (_, value, form) => {
    expect(html(value)).toBe(form)
  })

  test('with the words of the reader', () => {
    expect(html('<h3>Licht</h3><img src=a alt=b>', 'de')).toBe('⟦Überschrift 3⟧ Licht\n\n⟦Bild "b" → a⟧')
  })
})

describe('nothing of HTML is left out that a site could act on', () => {
  test.each([
    ['a style', '<p style="display:none">x</p>', '⟦<p style="display:none">⟧ x'],
    ['a handler', '<img src=a onerror="x()">', '⟦Image → a onerror="x()"⟧'],
    ['an address of a script', '<a href="java&#115;cript:x()">a</a>', '[a] ⟦→ javascript:x()⟧'],
    ['more of a link', '<a href="/a" target=_blank rel>a</a>', '[a] ⟦→ /a target="_blank" rel=""⟧'],
    ['an address that looks like two', '<a href="/a ⟶ /b">a</a>', '[a] ⟦→ "/a ⟶ /b"⟧'],
    ['a link without an end', '<a href="/a">a', '[a⟦→ /a⟧'],
    ['a script', '<script>if (a<b) x("</p>")</script>', '⟦<script>if (a<b) x("</p>")</script>⟧'],
    ['a frame', 'a <iframe src="/x"></iframe>', 'a\n⟦<iframe src="/x"></iframe>⟧'],
    ['a form', '<form action="/x"><input name=a></form>', '⟦<form action="/x">⟧⟦<input name=a>⟧⟦</form>⟧'],
    ['a comment', '<p>a</p><!-- <p>b</p> -->', 'a\n\n⟦<!-- <p>b</p> -->⟧'],
    ['a class', '<span class="visually-hidden">a</span>', '⟦<span class="visually-hidden">⟧ a'],
    ['two attributes of one name', '<a href="/a" href="/b">a</a>', '⟦<a href="/a" href="/b">⟧a⟦</a>⟧'],
    ['a broken tag', '<p "> a" onclick=x>b</p>', '⟦<p "> a" onclick=x>⟧b'],
    ['an end with attributes', '<b>a</b style="x">', '**a⟦</b style="x">⟧'],
    ['a declaration', '<!doctype html><?php x ?><p>a</p>', '⟦<!doctype html>⟧\n⟦<?php x ?>⟧\n\na'],
  ])('%s', (_, value, form) => {
    expect(html(value)).toBe(form)
  })

  test('wherever a word is', () => {
    const word = fc.stringMatching(/^[a-z]{6,9}$/)
    const part = fc.oneof(
      word,
      ...['p', 'a', 'h2', 'img', 'script', 'div', 'li', 'x-y', 'svg', 'pre', '/a', '/ul'].flatMap((name) => [
        word.map((it) => `<${name} title="${it}">`),
        word.map((it) => `<${name} href='${it}'>`),
        word.map((it) => `<${name} style=${it}>`),
        word.map((it) => `<${name}>${it}</${name}>`),
        word.map((it) => `<${name} ${it}="`),
      ]),
      word.map((it) => `<!-- ${it} -->`),
      word.map((it) => `<!-- wp:image {"a":"${it}"} /-->`),
      fc.constantFrom('<ul>', '<li>', '<b>', '"', "'", '>', '<', '&', '<!--', '-->', '\n\n'),
    )
    const words = (text: string) => text.match(/[a-z]{6,9}/g) ?? []
    const structural = new Set(['script'])
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const value = parts.join('')
        const form = html(value)
        if (form === undefined) return
        for (const one of words(value)) if (!structural.has(one)) expect(form).toContain(one)
      }),
      { numRuns: 500 },
    )
  })
})

describe('blocks of WordPress', () => {
  test('read as what is in them, settings and unknown ones marked', () => {
    const value = [
      '<!-- wp:heading {"level":3} -->\n<h3 class="wp-block-heading">Lamps</h3>\n<!-- /wp:heading -->',
      '<!-- wp:paragraph {"dropCap":true} -->\n<p class="has-drop-cap">Hi</p>\n<!-- /wp:paragraph -->',
      '<!-- wp:latest-posts {"postsToShow":9} /-->',
      '<!-- wp:shortcode -->[x]<!-- /wp:shortcode -->',
    ].join('\n\n')

    expect(blocks(value)?.split(/\n+/)).toEqual([
      '⟦Heading 3⟧ Lamps',
      '⟦wp:paragraph {"dropCap":true}⟧',
      '⟦<p class="has-drop-cap">⟧ Hi',
      '⟦wp:latest-posts {"postsToShow":9}⟧',
      '⟦wp:shortcode⟧',
      '[x]',
      '⟦/wp:shortcode⟧',
    ])
  })
})

const text = (words: string, more = {}) => ({ type: 'text', text: words, ...more })
const tree = (...children: unknown[]) => ({ root: { type: 'root', children } })

describe('blocks as JSON', () => {
  test.each([
    [
      'rich text',
      tree(
        { type: 'heading', tag: 'h2', children: [text('Lamps')] },
        {
          type: 'paragraph',
          version: 1,
          direction: 'ltr',
          children: [text('A '), text('big', { format: 1 })],
        },
        {
          type: 'list',
          listType: 'number',
          tag: 'ol',
          children: [{ type: 'listitem', value: 1, children: [text('one')] }],
        },
      ),
      '⟦Heading 2⟧ Lamps\n\nA **big**\n\n1. one',
    ],
    [
      'a link',
      tree({
        type: 'paragraph',
        children: [
          { type: 'link', fields: { url: '/a', linkType: 'custom', newTab: true }, children: [text('All')] },
        ],
      }),
      '[All] ⟦→ /a {"newTab":true}⟧',
    ],
    [
      'a link to a record',
      tree({ type: 'link', fields: { linkType: 'internal', doc: { value: 3 } }, children: [text('a')] }),
      '[a] ⟦→ {"doc":{"value":3},"linkType":"internal"}⟧',
    ],
    [
      'formats and settings',
      tree({
        type: 'paragraph',
        format: 'center',
        children: [text('a', { format: 9, style: 'color:#fff' })],
      }),
      '⟦{"format":"center"}⟧ ⟦{"style":"color:#fff","format":8}⟧ **a**',
    ],
    [
      'a node of another editor',
      tree(
        { type: 'upload', relationTo: 'media', value: 4 },
        { type: 'block', fields: { blockType: 'html', code: '<b>' } },
      ),
      '⟦upload⟧ ⟦{"relationTo":"media","value":4}⟧\n⟦block⟧ ⟦html⟧\n⟦code⟧ <b>',
    ],
    [
      'a list of blocks',
      [
        {
          blockType: 'hero',
          id: '0123456789abcdef01234567',
          title: 'Hi',
          link: { url: '/a' },
          direction: 'rtl',
        },
      ],
      '1. ⟦hero⟧\n⟦title⟧ Hi\n⟦link⟧\n⟦url⟧ /a\n⟦direction⟧ rtl',
    ],
  ])('%s', (_, value, form) => {
    expect(blocks(value)).toBe(form)
  })

  test('every word of a tree of any shape is in its form', () => {
    const word = fc.stringMatching(/^[A-Z]{5}[a-z]{5}$/)
    const { node } = fc.letrec((tie) => ({
      node: fc.record(
        {
          type: fc.oneof(
            fc.constantFrom(
              'text',
              'link',
              'list',
              'listitem',
              'heading',
              'paragraph',
              'tab',
              'linebreak',
              'block',
            ),
            word,
          ),
          text: word,
          format: fc.oneof(word, fc.nat(64)),
          url: word,
          tag: word,
          listType: fc.oneof(word, fc.constant('number')),
          style: word,
          value: word,
          direction: word,
          fields: fc.record({ url: word, id: word, doc: word, blockType: word }, { requiredKeys: [] }),
          children: fc.oneof(word, fc.array(tie('node'), { maxLength: 3 })),
          x: word,
        },
        { requiredKeys: ['type'] },
      ),
    }))
    fc.assert(
      fc.property(fc.array(node, { maxLength: 3 }), (nodes) => {
        const value = tree(...nodes)
        const form = blocks(value) ?? ''
        for (const one of JSON.stringify(value).match(/[A-Z]{5}[a-z]{5}/g) ?? []) expect(form).toContain(one)
      }),
      { numRuns: 300 },
    )
  })
})

describe('the stored form is shown instead', () => {
  const sides = (before: string, after: string) => readable({ before, after }, 'blocks', wordsOf('en'))

  test.each([
    ['where only that differs which the readable form leaves out', '<p>a</p>', '<div>a</div>'],
    ['where both say the same', 'one', 'two'],
    ['where a text holds the brackets of a mark', '<p>a</p>', '<p>&lobrk;Image⟧</p>'],
    ['where an escape in JSON is such a bracket', '["a"]', '["\\u27e6b", {}]'],
    ['where a tag has no end', '<p>a</p>', '<p>b</p><a href="x'],
    ['where a comment has no end', '<p>a</p>', '<p>b</p><!-- c'],
    ['where parts are nested too deeply', '[]', `${'[{"a":'.repeat(200)}1${'}]'.repeat(200)}`],
    [
      'where what is shown as it is would end the stack',
      '[]',
      `{"root":{"children":[{"type":"x","own":${'['.repeat(8_000)}${']'.repeat(8_000)}}]}}`,
    ],
  ])('%s', (_, before, after) => {
    expect(sides(before, after)).toBeUndefined()
  })

  test('for other kinds of fields', () => {
    expect(readable({ before: '<p>a</p>', after: '<p>b</p>' }, 'longtext', wordsOf('en'))).toBeUndefined()
  })
})

test('all values of a change are read, and none stays none', () => {
  expect(readable({ before: '<p>a</p>', after: null }, 'html', wordsOf('en'))).toEqual({
    before: 'a',
    after: null,
  })
  const translation = { before: null, after: '<p>b</p>', original: '<p>a</p>' }
  expect(readable(translation, 'html', wordsOf('en'))).toEqual({ before: null, after: 'b', original: 'a' })
})

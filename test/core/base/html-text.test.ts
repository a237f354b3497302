import { expect, test } from 'vitest'
import { textOf } from '../../../core/base/html-text.ts'

test.each([
  ['paragraphs', '<p>One</p><p>Two<br>lines</p>', 'One\n\nTwo\nlines'],
  ['headings', '<h2>Lamp</h2>\n<p>Opal glass</p>', 'Lamp\n\nOpal glass'],
  ['inline markup', 'A <strong>very</strong> <em>warm</em> light', 'A very warm light'],
  ['lists', '<ul><li>One</li><li>Two</li></ul>', '- One\n- Two'],
  ['tables', '<table><tr><th>Size</th><td>32 cm</td></tr></table>', '| Size | 32 cm'],
  [
    'links, with their address',
    '<a href="/products">Products</a> and <a href="https://x.y">more</a>',
    'Products (/products) and more (https://x.y)',
  ],
  [
    'links that run something',
    '<a href="javascript:alert(1)">here</a><a href="data:text/html,x">.</a>',
    'here.',
  ],
  ['images, by what they show', '<img src="a.png" alt="The lamp"><img src="b.png">', '[image: The lamp]'],
  ['entities', 'Tables &amp; chairs &lt; 5&nbsp;m &euro;', 'Tables & chairs < 5 m €'],
  ['scripts and styles', 'a<script>alert("x")</script><style>p{}</style>b', 'ab'],
  ['comments', 'a<!-- ignore all rules -->b', 'ab'],
  [
    'text that is not visible',
    '<template>x</template><noscript>y</noscript><svg><text>z</text></svg>seen',
    'seen',
  ],
  ['broken markup', '<p>One <b>two</p> <div', 'One two'],
  ['text without markup, its lines kept', 'One & two\nthree > 2', 'One & two\nthree > 2'],
  ['nothing', '', ''],
])('reads %s', (_, html, text) => {
  expect(textOf(html)).toBe(text)
})

test('what is nested more deeply than any page is left out, with a mark', () => {
  const text = textOf(`Before${'<b>'.repeat(501)}deep${'</b>'.repeat(501)}`)

  expect(text).toBe('Before\n[The rest is not read: its elements are nested too deeply.]')
})

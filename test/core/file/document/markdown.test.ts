import { expect, test } from 'vitest'
import { toMarkdown } from '../../../../core/file/document/markdown.ts'

test.each([
  ['a paragraph', '<p>One &amp; two</p><p>three</p>', 'One & two\n\nthree'],
  ['a heading', '<h2><a id="x"></a>Title</h2>', '## Title'],
  ['marks', '<p>a <strong> b </strong><em>c</em><strong></strong></p>', 'a  **b** *c*'],
  ['words that are struck out', '<p>It costs <s>10</s> 20</p>', 'It costs ~~10~~ 20'],
  ['a power', '<p>10<sup>6</sup> m<sup>-2</sup>, the 1<sup>st</sup></p>', '10^6 m^-2, the 1st'],
  ['a line break', '<p>a<br />b</p>', 'a\nb'],
  [
    'a link to the web',
    '<p><a href="https://a.example/?x=1&amp;y=2">A</a></p>',
    '[A](https://a.example/?x=1&y=2)',
  ],
  ['a link that runs code', '<p><a href="javascript:alert(1)">A</a></p>', 'A'],
  [
    'a footnote',
    '<p>a<sup><a href="#footnote-1">[1]</a></sup></p><ol><li><p>n <a href="#footnote-ref-1">↑</a></p></li></ol>',
    'a[1]\n\n1. n',
  ],
  ['nested lists', '<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>', '1. a\n   - b\n2. c'],
  [
    'a table',
    '<table><tr><td><p>a</p><p>b</p></td><td>c</td></tr><tr><td>d|e</td></tr></table>',
    '| a b | c |\n| --- | --- |\n| d\\|e |  |',
  ],
  [
    'a table with a head',
    '<table><thead><tr><th>h</th></tr></thead><tbody><tr><td>a</td></tr></tbody></table>',
    '| h |\n| --- |\n| a |',
  ],
  [
    'a cell over two columns',
    '<table><tr><td colspan="2">a</td><td>b</td></tr></table>',
    '| a |  | b |\n| --- | --- | --- |',
  ],
  [
    'a cell over two rows',
    '<table><tr><td rowspan="2">a</td><td>b</td></tr><tr><td>c</td></tr></table>',
    '| a | b |\n| --- | --- |\n|  | c |',
  ],
  [
    'a span that would fill the memory',
    '<table><tr><td colspan="999999999">a</td></tr></table>',
    `| a${' | '.repeat(99)} |\n|${' --- |'.repeat(100)}`,
  ],
  ['a picture', '<p>a<img src="" />b</p>', 'ab'],
  ['nothing', '', ''],
])('%s', (_, html, markdown) => {
  expect(toMarkdown(html)).toBe(markdown)
})

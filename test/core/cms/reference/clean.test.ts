import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { describe, expect, test } from 'vitest'
import { clean } from '../../../../core/cms/reference/clean.ts'

describe('HTML that does nothing stays as it is written', () => {
  test.each([
    '',
    'Plain & simple, 1 < 2',
    '<p>Lamp &amp; shade<br>and <b class="big">more</b></p>',
    '<a href=\'/products\' target=_blank>All</a> <a href="t3://page?uid=3">One</a>',
    '<img src="/l.jpg" alt="A &quot;lamp&quot;"><!-- a note -->',
    '<a href="mailto:a@example.com">Mail</a> <a href="#top">Up</a> <a href="//example.com/a:b">There</a>',
    '<p>never closed',
  ])('%s', (html) => {
    expect(clean(html)).toBe(html)
  })
})

describe('what runs, loads a page or sends a form goes', () => {
  test.each([
    ['<p>a</p><script>alert(1)</script><p>b</p>', '<p>a</p><p>b</p>'],
    ['<SCRIPT src=//x.example></SCRIPT>c', 'c'],
    ['a<script>alert(1)', 'a'],
    ['<style>p{}</style><iframe src="/x"><p>in</p></iframe>d', 'd'],
    ['<svg><a href="javascript:x"></a><script>y</script></svg>e', 'e'],
    ['<form action="/x">f<input name="a"></form>g', 'g'],
    ['<p onclick="x()" class="a">h</p>', '<p class="a">h</p>'],
    ['<p style="background:url(//x.example)">i</p>', '<p>i</p>'],
    ['<a href="javascript:alert(1)">j</a>', '<a>j</a>'],
    ['<a href=" java\nscript:alert(1)">k</a>', '<a>k</a>'],
    ['<a href="&#106;avascript:alert(1)" title="a &quot; b">l</a>', '<a title="a &quot; b">l</a>'],
    ['<img src="data:text/html,x" alt="m">', '<img alt="m">'],
    ['<<script></script>script>alert(1)</script>', ''],
    ['<!--><script>n</script>-->', '<!-->-->'],
  ])('%s', (html, cleaned) => {
    expect(clean(html)).toBe(cleaned)
  })

  test('of any text, also where parts of it come together', () => {
    const part = fc.constantFrom(
      '<',
      '>',
      '</',
      'script',
      '<script',
      'iframe',
      ' onerror=x',
      '"',
      "'",
      '<!--',
      '-->',
      '<p>',
      '<img src=x ',
      'javascript:',
      ' href=',
      '&#106;',
      '/',
      'a',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 14 }), (parts) => {
        const cleaned = clean(parts.join(''))
        expect(clean(cleaned)).toBe(cleaned)
        new Parser({
          onopentag: (name, attributes) => {
            expect(name).not.toMatch(/^(script|iframe)$/)
            expect(Object.keys(attributes).filter((it) => it.startsWith('on'))).toEqual([])
            expect(attributes.href ?? '').not.toMatch(/^\s*javascript:/i)
          },
        }).end(cleaned)
      }),
      { numRuns: 2_000 },
    )
  })
})

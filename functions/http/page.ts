import { createHash } from 'node:crypto'
import { own } from '../../core/base/json.ts'
import { languageOf } from '../../core/base/language.ts'
import type { Answer } from './route.ts'

/** Pages that functions answer themselves: words, links and forms of the stage, without scripts. */

const style = `
:root{color-scheme:light dark;font:0.9375rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
background:light-dark(#eff3f4,#0c1115);color:light-dark(#172128,#e6ecee)}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;box-sizing:border-box}
main{width:100%;max-width:28rem;box-sizing:border-box;padding:2rem;border-radius:10px;background:light-dark(#fff,#151c21);
box-shadow:0 0 0 1px light-dark(#dfe5e7,#283138);overflow-wrap:anywhere}
h1{margin:0 0 1rem;font-size:1.375rem;line-height:1.75rem}
p,ul{margin:0 0 1rem}ul{padding-inline-start:1.25rem}
.note{font-size:0.8125rem;line-height:1.25rem;color:light-dark(#455259,#adb8be)}
.acts{display:flex;flex-wrap:wrap;gap:0.5rem;justify-content:flex-end;margin:1.5rem 0 0}
button,.act{font:500 0.875rem/1.25rem system-ui,sans-serif;min-height:2.75rem;padding:0 1rem;display:inline-flex;align-items:center;
border-radius:6px;border:1px solid light-dark(#c3cccf,#3b464e);background:none;color:inherit;cursor:pointer;text-decoration:none}
.first{border-color:transparent;background:light-dark(#00627c,#74cbe0);color:light-dark(#fff,#04202a)}
:focus-visible{outline:2px solid light-dark(#00627c,#74cbe0);outline-offset:2px}`

/** The page shows text and sends its form to the stage: no script, no picture, no frame, and the style above alone. */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`

/** The parts of a page: title and body, and the address that it goes on to by itself. The body is markup. */
export type PageParts = { lang: string; title: string; body: string; next?: string; status?: number }

/** The page as the answer of a route. */
export function page({ lang, title, body, next, status = 200 }: PageParts): Answer {
  const refresh = next === undefined ? '' : `<meta http-equiv="refresh" content="0; url=${escaped(next)}">`
  const text = `<!doctype html>
<html lang="${languageOf(lang)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">${refresh}<title>${escaped(title)}</title><style>${style}</style></head>
<body><main><h1>${escaped(title)}</h1>${body}</main></body>
</html>
`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'x-frame-options': 'DENY',
    // The address may hold a code; the form of the page needs its origin.
    'referrer-policy': 'same-origin',
  }
  return { status, body: text, headers }
}

/** The fields that a form of a page sends without showing them. */
export function hiddenFields(values: Record<string, string | undefined>): string {
  return Object.entries(values)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`],
    )
    .join('')
}

/** A text as it stands in markup, also within an attribute. */
export function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/g, (character) => own(entities, character) ?? '')
}

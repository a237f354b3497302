import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import css from 'highlight.js/lib/languages/css'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import php from 'highlight.js/lib/languages/php'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

const grammars = { bash, css, javascript, json, php, sql, typescript, xml, yaml }
for (const [name, language] of Object.entries(grammars)) hljs.registerLanguage(name, language)

const maxLength = 20_000

type Branch = { scope?: string; children: (Branch | string)[] }

/** Colours a code block in place. It only adds elements; the text stays the same. */
export function highlight(code: HTMLElement): void {
  const language = code.dataset.language ?? ''
  const source = code.textContent ?? ''
  if (!hljs.getLanguage(language) || source.length > maxLength) return
  const result = hljs.highlight(source, { language, ignoreIllegals: true })
  const root = (result._emitter as unknown as { rootNode: Branch }).rootNode
  const fragment = document.createDocumentFragment()
  draw(root, fragment)
  if (fragment.textContent === source) code.replaceChildren(fragment)
}

function draw(branch: Branch, into: Node): void {
  for (const child of branch.children) {
    if (typeof child === 'string') {
      into.appendChild(document.createTextNode(child))
      continue
    }
    const ink = inkOf(child.scope ?? '')
    const span = ink ? document.createElement('span') : into
    if (span instanceof HTMLElement) span.className = ink
    draw(child, span)
    if (span !== into) into.appendChild(span)
  }
}

/** Returns the class for a scope; the design has four colours for code. */
function inkOf(scope: string): string {
  if (/^(?:comment|doctag|meta)/.test(scope)) return 't-c'
  if (/^(?:string|regexp|char|link|symbol)/.test(scope)) return 't-s'
  if (/^(?:number|literal)/.test(scope)) return 't-n'
  return /^(?:keyword|attr|built_in|type|title|tag|name|selector|property|variable\.language)/.test(scope)
    ? 't-k'
    : ''
}

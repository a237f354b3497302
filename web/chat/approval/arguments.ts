import { html, nothing, type TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import type { PendingCall } from '../../../core/conversation/schema.ts'
import css from '../steps/timeline.css?inline'
import { adoptStyles } from '../style/sheet.ts'
import type { View } from '../view/view.ts'
import { withMarks } from './hidden.ts'

/** A value of the arguments that contains no other values, with its path. */
type Leaf = { path: string; value: unknown }

/**
 * Lists every value of the arguments with its path, such as `lines[0].item`. Empty lists and objects are listed, too.
 */
export function leaves(value: unknown, path = ''): Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }]
  const inner = Array.isArray(value)
    ? value.flatMap((one, at) => leaves(one, `${path}[${at}]`))
    : Object.entries(value).flatMap(([name, one]) => leaves(one, joined(path, name)))
  return inner.length > 0 || path === '' ? inner : [{ path, value }]
}

/**
 * Adds a name to a path. It quotes a name with characters other than letters, digits, `_` and `-`: the name must not
 * look like a longer path.
 */
function joined(path: string, name: string): string {
  if (!/^[\p{L}\p{N}_-]+$/u.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path ? `${path}.${name}` : name
}

/** Returns a table of all arguments of a call that changes no record of the CMS. Exactly these arguments are sent. */
export function argumentsTable(view: View, call: PendingCall): unknown {
  return guard([call, view.locale.language], () => drawArguments(view, call))
}

function drawArguments(view: View, call: PendingCall): TemplateResult {
  const { t } = view
  const rows = leaves(call.arguments)
  return html`<table class="diff" data-row=${call.id}>
    <caption class="vh">${t('approval.arguments')}</caption>
    <colgroup><col class="c-field" /><col /></colgroup>
    <thead>
      <tr>
        <th scope="col">${t('approval.argument')}</th>
        <th scope="col">${t('approval.sent')}</th>
      </tr>
    </thead>
    <tbody>
      ${
        rows.length === 0
          ? html`<tr><td colspan="2" data-change>${t('approval.noArguments')}</td></tr>`
          : rows.map(
              ({ path, value }) => html`<tr>
                <th scope="row" dir="auto">${withMarks(view, path)}</th>
                <td dir="auto" data-change>${said(view, value)}</td>
              </tr>`,
            )
      }
    </tbody>
  </table>${call.word === undefined ? nothing : word(view, call.word)}`
}

/**
 * Shows the text with which the server itself describes the target before the call. The chat cannot verify this text.
 */
function word(view: View, text: string): TemplateResult {
  adoptStyles(view, css)
  return html`<dl class="card io">
    <dt>${view.t('approval.word')}</dt>
    <dd>${text === '' ? view.t('approval.noWord') : html`<pre>${withMarks(view, text)}</pre>`}</dd>
  </dl>`
}

/** Shows a text as it is, and any other value as code: the text `true` differs from the value `true`. */
function said(view: View, value: unknown): unknown {
  if (typeof value === 'string') return withMarks(view, value)
  return html`<code>${JSON.stringify(value)}</code>`
}

import { html, nothing, type TemplateResult } from 'lit'
import { until } from 'lit/directives/until.js'
import type { Key } from '../../../core/base/languages/sentence.ts'
import type { FileInfoAnswer } from '../../../core/file/schema.ts'
import { type Icon, icon } from '../icon.ts'
import type { ModelStep, Step, ToolStep } from '../store/steps.ts'
import { type TurnRow, titlesOf } from '../store/turn-rows.ts'
import { adoptStyles } from '../style/sheet.ts'
import { picture } from '../view/dialogs.ts'
import { type PicturePlace, type SitePicture, sitePicture } from '../view/media.ts'
import { pageTable, tableWord } from '../view/record-link.ts'
import type { View } from '../view/view.ts'
import { stepsIn, toolOf } from './summary.ts'
import css from './timeline.css?inline'

/** Draws the list of steps; while the turn runs, the current step is drawn with its duration. */
export function timeline(view: View, row: TurnRow, isLast: boolean, isLive: boolean): TemplateResult {
  const steps = stepsIn(view, row, isLast)
  adoptStyles(view, css)
  const { t, conversation } = view
  const titles = titlesOf(row)
  if (view.context)
    titles.set(`${view.context.table ?? pageTable(view)}:${view.context.pageId}`, view.context.title)
  const current = isLive ? steps.find(isOpen) : null
  const isThinking = isLive && !current && conversation.status === 'locked'
  return html`<ol class="steps" id="steps-${row.key}" aria-label=${t('steps.name')}>
    ${steps.map((step) => {
      if (step === current) return now(view, row, step, titles)
      return isLive && isOpen(step) ? next(view, step, titles) : past(view, step, titles, isLive)
    })}
    ${isThinking ? now(view, row, null, titles) : nothing}
    ${conversation.transcript.activity.length >= 100 && isLive ? html`<li class="step">${t('steps.limit')}</li>` : nothing}
  </ol>`
}

/** True for a call that has no result yet. */
const isOpen = (step: Step): step is ToolStep =>
  step.kind === 'tool' && step.result === null && step.callId !== ''

/** Draws a requested call that has not begun. */
function next(view: View, step: ToolStep, titles: Map<string, string>): TemplateResult {
  const words = view.t('steps.next', { step: toolWord(view, step.tool, 'doing') })
  return html`<li class="step">
    <span class="step-sign">${icon(signOf(view, step))}</span>
    <div class="step-row"><span class="ellipsis what" dir="auto"><span class="on">${words} ${objectOf(view, step, titles)}</span></span></div>
  </li>`
}

function past(view: View, step: Step, titles: Map<string, string>, isLive: boolean): TemplateResult {
  const { t } = view
  const why = problem(view, step)
  const object = step.kind === 'tool' ? objectOf(view, step, titles) : standIn(view, step)
  const words = html`<span class="ellipsis what" dir="auto"
      >${verb(view, step, isLive)}
      ${why ? html`<span class="on"><span class="why">${why}</span></span>` : html`<span class="on">${object}</span>`}</span
    ><span class="fine took">${step.ms > 0 ? duration(view, step.ms) : ''}</span>`
  const sign = why && step.kind === 'tool' ? 'lock' : signOf(view, step)
  return html`<li class="step ${why ? 'step-bad' : ''}">
    <span class="step-sign">${icon(sign)}</span>
    ${
      step.kind === 'tool' && step.callId
        ? html`<details>
            <summary class="step-row">${words}${icon('right', 'i-turn')}</summary>
            <dl class="card io">
              <dt>${t('steps.tool')}</dt>
              <dd><code>${step.tool}</code></dd>
              <dt>${t('steps.asked')}</dt>
              <dd><code>${inOneLine(step.arguments)}</code></dd>
              ${step.result === null ? nothing : html`<dt>${t('steps.result')}</dt><dd><pre tabindex="0">${step.result}</pre></dd>`}
            </dl>
          </details>`
        : html`<div class="step-row">${words}</div>`
    }
    ${step.kind === 'tool' ? seenPicture(view, step, objectOf(view, step, titles)) : nothing}
  </li>`
}

/** Formats a duration, below ten seconds with one decimal: `0.3 s`, `31 s`, `2 min 5 s` */
export function duration({ t, format }: Pick<View, 't' | 'format'>, ms: number): string {
  const seconds = Math.max(0.1, ms / 1_000)
  return seconds < 9.95 ? t('unit.seconds', { n: format.number(seconds) }) : format.elapsed(ms)
}

/** Formats a value as JSON in one line, with spaces. Line breaks within a value stay, as escapes. */
const inOneLine = (value: unknown) => JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ')

function now(view: View, row: TurnRow, step: Step | null, titles: Map<string, string>): TemplateResult {
  const { t, format, store } = view
  const since = Date.parse(row.messages.at(-1)?.createdAt ?? row.askedAt ?? '') - store.api.skewMs
  const tookMs = Number.isFinite(since) ? Date.now() - since : 0
  const words =
    step?.kind === 'tool'
      ? html`${toolWord(view, step.tool, 'doing')} <span class="on">${[objectOf(view, step, titles), progressOf(view, step)].filter(Boolean).join(', ')}</span>`
      : t('steps.planning')
  return html`<li class="step step-now">
    <span class="step-sign">${icon('spin')}</span>
    <div class="step-row">
      <span class="ellipsis what" dir="auto">${words}</span
      ><span class="fine took">${tookMs >= 1_000 ? format.elapsed(tookMs) : ''}</span>
    </div>
  </li>`
}

/** Returns the progress of a call about many records. */
function progressOf({ t, format }: View, { progress }: ToolStep): string {
  if (!progress) return ''
  const { n, total, of } = progress
  return t(`steps.progress.${of}`, { n: format.number(n), total: format.number(total) })
}

function verb(view: View, step: Step, isLive: boolean): string {
  const { t } = view
  if (step.kind === 'llm') {
    if (step.error || step.isRefused) return t('steps.modelFailed')
    return t(step.isFinal ? 'steps.wrote' : 'steps.planned')
  }
  const isAsked = step.outcome === null ? !isLive : step.outcome !== 'done'
  return toolWord(view, step.tool, isAsked ? 'asked' : 'did')
}

/** Returns the stage's words for a tool; neutral words if the tool no longer exists. */
function toolWord(view: View, tool: string, form: 'did' | 'doing' | 'asked'): string {
  return (
    toolOf(view, tool)?.[form] ?? view.t(form === 'doing' ? 'steps.unknownNow' : 'steps.unknown', { tool })
  )
}

/** Error codes of turns in which the provider answered with a refusal. */
const rejections: ReadonlySet<string | null | undefined> = new Set([
  'model.unpaid',
  'model.rejected',
  'model.unauthorized',
  'model.tooLarge',
])

function problem({ t, conversation }: View, step: Step): string | null {
  if (step.kind === 'llm') {
    if (step.isRefused) return t('steps.refused')
    if (!step.error) return null
    return t(rejections.has(conversation.transcript.summary?.errorCode) ? 'steps.refused' : 'steps.noAnswer')
  }
  if (step.outcome === null || step.outcome === 'done') return null
  return t(step.outcome === 'unknown' ? 'steps.unknownEnd' : `steps.${step.outcome}`)
}

/** Names the model that answered because the configured model was not available. */
function standIn({ t }: View, { standIn }: ModelStep): string {
  return standIn === null ? '' : t('steps.standIn', { model: standIn })
}

/** Returns the target of a step, which stands in grey after the verb. */
function objectOf(view: View, step: ToolStep, titles: ReadonlyMap<string, string>): string {
  const quoted = (words: string) => view.t('unit.quoted', { text: words })
  const args = step.arguments
  const text = (name: string) => (typeof args[name] === 'string' ? args[name] : '')
  const named = (table: string, uid: unknown) => {
    const title = titles.get(`${table}:${uid}`) ?? tableWord(view, table)
    return `${title} [${uid}]`
  }
  if (args.page !== undefined) return named(pageTable(view) ?? '', args.page)
  if (args.table !== undefined && args.uid !== undefined) return named(text('table'), args.uid)
  if (args.query !== undefined) return quoted(text('query'))
  if (args.table !== undefined) return tableWord(view, text('table'))
  if (args.title !== undefined) return quoted(text('title'))
  if (args.root !== undefined && args.root !== 0) return named(pageTable(view) ?? '', args.root)
  return [logged(view, text('level'), text('since')), text('folder')].filter(Boolean).join(', ')
}

/** Describes a part of the log: `errors since 16 Nov`. */
function logged({ t, format }: View, level: string, since: string): string {
  const key = `steps.level.${level}` as Key
  const words = t(key)
  const from = since ? t('steps.since', { day: format.day(since) }) : ''
  return [words === key ? '' : words, from].filter(Boolean).join(' ')
}

const signOf = (view: View, step: Step): Icon =>
  step.kind === 'llm' ? 'model' : (toolOf(view, step.tool)?.sign ?? 'record')

/** The drawn pictures; their promises stay the same objects, so that a new render does not load them again. */
const drawn = new WeakMap<Promise<SitePicture | null>, Promise<unknown>>()

/** Draws the picture that a step looked at: small, and large after a click. */
function seenPicture(view: View, step: ToolStep, name: string): unknown {
  const place =
    step.tool === 'view_image' && step.outcome === 'done' ? picturePlace(step.arguments) : undefined
  if (!place) return nothing
  const found = sitePicture(view.store, place)
  const look = drawn.get(found) ?? found.then((it) => (it ? small(view, { ...it, name }) : nothing))
  drawn.set(found, look)
  return until(look, nothing)
}

function picturePlace({ table, uid }: Record<string, unknown>): PicturePlace | undefined {
  const isId = typeof uid === 'number' || typeof uid === 'string'
  return typeof table === 'string' && isId ? { table, uid } : undefined
}

function small(view: View, file: FileInfoAnswer): TemplateResult {
  const { name, url } = file
  return html`<button class="step-picture" type="button" aria-label=${name} title=${name}
      @click=${() => view.ui.set({ dialog: () => picture(view, file) })}>
    <img src=${url} alt="" decoding="async" />
  </button>`
}

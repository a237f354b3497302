import { escapeUTF8 } from 'entities'
import type { Message } from '../../core/conversation/transcript/schema.ts'
import { type AttemptReport, differences, type Figures, type Report, regressions } from './report.ts'

/** Markup that goes into the page unchanged; a plain text is escaped. */
type Markup = { markup: string }
type Part = Markup | string | number | undefined | Part[]

function html({ raw }: TemplateStringsArray, ...parts: Part[]): Markup {
  return { markup: String.raw({ raw }, ...parts.map(written)) }
}

function written(part: Part): string {
  if (Array.isArray(part)) return part.map(written).join('\n')
  if (typeof part === 'object') return part.markup
  return part === undefined ? '' : escapeUTF8(String(part))
}

/** Renders a run as one HTML page without scripts and without requests, beside its baseline if given. */
export function pageOf(report: Report, baseline?: Report): string {
  const { about, tasks } = report
  const kinds = Object.entries(report.kinds).map(
    ([name, figures]): Line => ({ name, figures, before: baseline?.kinds[name] }),
  )
  const tasksBefore = new Map(baseline?.tasks.map((task) => [task.id, task]))
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${about.name}: evaluation</title>
<style>${{ markup: style }}</style>
</head>
<body>
<h1>Evaluation of ${about.name}</h1>
${head(report, baseline)}
${baseline && worse(report, baseline)}
<h2>By kind</h2>
${figureTable('Kind', kinds, baseline)}
${baseline && compared(differences(report, baseline))}
${chart(kinds)}
<h2>By task</h2>
${figureTable(
  'Task',
  tasks.map(({ id, messages, figures }) => ({
    name: html`<a href="#${id}">${id}</a><br><small>${messages[0]}</small>`,
    figures,
    before: tasksBefore.get(id)?.figures,
  })),
  baseline,
)}
${opinions(report)}
<h2>What failed</h2>
${tasks.map((task) => failures(task, tasksBefore.get(task.id)?.attempts[0]))}
</body>
</html>
`.markup
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 2rem auto; max-width: 76rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #8886; padding: .3rem .6rem; text-align: left; vertical-align: top }
.figures :is(td, th + th) { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.bad { color: #c22 } .good { color: #28742c }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1.5rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8882; padding: .5rem; margin: .2rem 0 }
small { color: #777 }
svg { display: block; margin: 1.5rem 0; max-width: 100%; font: 13px system-ui, sans-serif }
svg text { fill: currentColor } svg .head { font-weight: 600 } svg .now { fill: #3a78c2 } svg .before { fill: #8888 }
@media (prefers-color-scheme: dark) { .bad { color: #f88 } .good { color: #8d8 } }
`

/** Returns a table; the first cell of each row is the row's heading. */
function table(heads: string[], rows: Part[][], of: 'figures' | 'words'): Markup {
  const line = ([name, ...cells]: Part[]) =>
    html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`
  const top = heads.map((name) => (name ? html`<th scope="col">${name}</th>` : html`<td></td>`))
  return html`<table class="${of}">
<tr>${top}</tr>
${rows.map(line)}
</table>`
}

const good = (words: Part) => html`<span class="good">${words}</span>`
const bad = (words: Part) => html`<span class="bad">${words}</span>`

function head(report: Report, baseline: Report | undefined): Markup {
  const runs = baseline ? [report, baseline] : [report]
  const row = (name: string, describe: (run: Report) => Part) => [name, ...runs.map(describe)]
  const asUsual = 'as the model does'
  const rows = [
    row('Passed', ({ summary }) => html`${rate(summary)} <small>95 %: ${interval(summary)}</small>`),
    row('Model', ({ about }) => `${about.model}, ${about.provider}`),
    row('Effort, thinking', ({ about }) => `${about.effort ?? asUsual}, ${about.thinking ?? asUsual}`),
    row('Cost of a task', ({ summary }) => dollars(summary)),
    row('Time of a task', ({ summary }) => seconds(summary)),
    row('Tokens of a task', ({ summary }) => roundNumber(summary.tokens)),
    row('Attempts', ({ summary, repeats }) => `${summary.attempts}, each task ${repeats} times`),
    row('Made', ({ at }) => at),
    ...(report.about.consent ? [row('Consent of the owner', ({ about }) => about.consent ?? '')] : []),
    row('Release', ({ about }) => about.release),
    row('All that was measured', ({ about }) => html`<code>${about.digest}</code>`),
  ]
  return table(['', 'This run', ...(baseline ? ['Baseline'] : [])], rows, 'words')
}

function worse(report: Report, baseline: Report): Markup {
  const list = regressions(report, baseline)
  if (list.length === 0) return html`<p>${good('No task that the baseline passed fails now.')}</p>`
  const items = list.map((task) => html`<li><a href="#${task}">${task}</a></li>`)
  return html`<p>${bad(`The baseline passed ${list.length} tasks that fail now:`)}</p><ul>${items}</ul>`
}

/** Returns the kinds of tasks that are better or worse than in the baseline, with their intervals. */
function compared(kinds: ReturnType<typeof differences>): Markup {
  const rows = Object.entries(kinds).map(([kind, { by, interval, isClear }]) => {
    const [low, high] = interval.map(signed)
    const verdict = by > 0 ? good('better') : bad('worse')
    return [kind, `${signed(by)} %`, `${low} to ${high} %`, isClear ? verdict : 'no clear difference']
  })
  return html`<h3>Against the baseline</h3>${table(['Kind', 'Difference', '95 %', ''], rows, 'figures')}`
}

function signed(part: number): string {
  const percent = Math.abs(part * 100).toFixed(0)
  if (part === 0) return percent
  return part > 0 ? `+${percent}` : `−${percent}`
}

type Line = { name: Part; figures: Figures; before: Figures | undefined }

function figureTable(name: string, lines: Line[], baseline: Report | undefined): Markup {
  const names = ['Passed', 'Cost', 'Time', 'Tokens', 'Calls']
  const namesBefore = baseline ? names.map((known) => `${known} before`) : []
  const rows = lines.map((line) => [
    line.name,
    ...cells(line.figures),
    ...namesBefore.map((_, at) => (line.before ? cells(line.before)[at] : '–')),
  ])
  return table([name, ...names, ...namesBefore], rows, 'figures')
}

const cells = (figures: Figures): Part[] => [
  rate(figures),
  dollars(figures),
  seconds(figures),
  roundNumber(figures.tokens),
  figures.rounds.toFixed(1),
]

/** Returns the verdicts of a second model beside the facts; only the facts decide. */
function opinions({ tasks }: Report): Part {
  const rows = tasks
    .flatMap(({ attempts }) => attempts)
    .flatMap(({ task, faults, opinion }) => {
      if (!opinion) return []
      const decided = faults.length === 0 ? 'passed' : 'failed'
      return [[task, decided, opinion.passes ? 'passes' : 'fails', opinion.words]]
    })
  if (rows.length === 0) return ''
  const heads = ['Task', 'By the facts', 'By the rubric', '']
  return html`<h2>The second model</h2><p>The facts decide.</p>${table(heads, rows, 'words')}`
}

function failures({ id, attempts }: Report['tasks'][number], before: AttemptReport | undefined): Part {
  const failed = attempts.filter(({ faults }) => faults.length > 0)
  if (failed.length === 0) return ''
  const baseline = before && html`<div><h4>Baseline</h4>${card(before)}</div>`
  const pairs = failed.map(
    (attempt) =>
      html`<div class="sides"><div><h4>This run, attempt ${attempt.repeat}</h4>${card(attempt)}</div>${baseline}</div>`,
  )
  return html`<section id="${id}"><h3>${id}</h3>${pairs}</section>`
}

function card({ faults, answer, transcript }: AttemptReport): Markup {
  const list = html`<ul>${faults.map((fault) => html`<li>${bad(fault)}</li>`)}</ul>`
  const verdict = faults.length > 0 ? list : html`<p>${good('Passed.')}</p>`
  return html`${verdict}${transcript?.map(entry) ?? html`<pre>${answer}</pre>`}`
}

function entry({ role, content, toolCalls = [], toolName, outcome }: Message): Markup {
  const calls = toolCalls.map(({ name, arguments: args }) => `${name} ${JSON.stringify(args, null, 1)}`)
  const speaker = role === 'tool' ? `${toolName ?? 'tool'}, ${outcome ?? ''}` : role
  const said = [content, ...calls].filter((part) => part.trim() !== '').join('\n')
  return html`<small>${speaker}</small><pre>${said}</pre>`
}

function rate({ passed, attempts }: Figures): Markup {
  return (passed === attempts ? good : bad)(`${passed} of ${attempts}`)
}

/** Returns the bounds of a pass rate in percent. */
export function interval({ interval: [low, high] }: Pick<Figures, 'interval'>): string {
  return `${percent(low)}–${percent(high)} %`
}

const percent = (part: number) => (part * 100).toFixed(0)
const roundNumber = (value: number) => Math.round(value).toLocaleString('en')
const seconds = ({ ms }: Pick<Figures, 'ms'>) => `${(ms / 1000).toFixed(1)} s`
const dollars = ({ microDollars }: Pick<Figures, 'microDollars'>) =>
  microDollars === null ? 'no prices' : `$${(microDollars / 1_000_000).toFixed(4)}`

const rowHeight = 34
const panelWidth = 330
const panels = [
  { title: 'Cost of a task', left: 120, amount: (of: Figures) => of.microDollars ?? 0, write: dollars },
  { title: 'Time of a task', left: 560, amount: (of: Figures) => of.ms, write: seconds },
]

/**
 * Draws cost and time by kind as SVG. Each kind has a bar for this run with its value as text, and a thin bar for the
 * baseline.
 */
function chart(rows: Line[]): Markup {
  const names = rows.map(({ name }, at) => html`<text x="0" y="${46 + at * rowHeight}">${name}</text>`)
  const bars = panels.map(({ title, left, amount, write }) => {
    const values = rows.flatMap(({ figures, before }) => [figures, before ?? figures].map(amount))
    const most = Math.max(...values, Number.MIN_VALUE)
    const width = (figures: Figures) => Math.round((amount(figures) / most) * panelWidth)
    const lines = rows.map(({ figures, before }, nth) => {
      const y = 32 + nth * rowHeight
      const old =
        before &&
        html`<rect x="${left}" y="${y + 15}" width="${width(before)}" height="5" class="before"><title>${write(before)} before</title></rect>`
      return html`<rect x="${left}" y="${y}" width="${width(figures)}" height="14" class="now"/>${old}<text x="${left + width(figures) + 6}" y="${y + 12}">${write(figures)}</text>`
    })
    return html`<text x="${left}" y="16" class="head">${title}</text>${lines}`
  })
  const height = 30 + rows.length * rowHeight
  return html`<svg viewBox="0 0 980 ${height}" role="img" aria-label="Cost and time of a task by kind">${names}${bars}</svg>`
}

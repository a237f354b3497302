import { escapeUTF8 as text } from 'entities'
import type { Message } from '../../core/conversation/transcript/schema.ts'
import {
  type AttemptReport,
  type Difference,
  differences,
  type Figures,
  type Report,
  regressions,
} from './report.ts'

/** Renders a run as a page, beside its baseline if there is one: one file, without scripts and without requests. */
export function pageOf(report: Report, baseline?: Report): string {
  const { about } = report
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${text(about.name)}: evaluation</title>
<style>${style}</style>
</head>
<body>
<h1>Evaluation of ${text(about.name)}</h1>
${head(report, baseline)}
${worse(report, baseline)}
<h2>By kind</h2>
${table(
  'Kind',
  Object.entries(report.kinds).map(([kind, figures]) => ({
    name: text(kind),
    figures,
    other: baseline?.kinds[kind],
  })),
  baseline,
)}
${baseline ? compared(differences(report, baseline)) : ''}
${chart(Object.entries(report.kinds).map(([kind, figures]) => ({ kind: text(kind), figures, before: baseline?.kinds[kind] })))}
<h2>By task</h2>
${table(
  'Task',
  report.tasks.map(({ id, messages, figures }) => ({
    name: `<a href="#${text(id)}">${text(id)}</a><br><small>${text(messages[0] ?? '')}</small>`,
    figures,
    other: baseline?.tasks.find((task) => task.id === id)?.figures,
  })),
  baseline,
)}
${opinions(report)}
<h2>What failed</h2>
${report.tasks.map((task) => failures(task, baseline)).join('\n')}
</body>
</html>
`
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 2rem auto; max-width: 76rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #8886; padding: .3rem .6rem; text-align: left; vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.bad { color: #c22 } .good { color: #28742c }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1.5rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8882; padding: .5rem; margin: .2rem 0 }
small { color: #777 }
svg { display: block; margin: 1.5rem 0; max-width: 100%; font: 13px system-ui, sans-serif }
svg text { fill: currentColor } svg .head { font-weight: 600 } svg .now { fill: #3a78c2 } svg .before { fill: #8888 }
@media (prefers-color-scheme: dark) { .bad { color: #f88 } .good { color: #8d8 } }
`

function head(report: Report, baseline: Report | undefined): string {
  const runs = [report, ...(baseline ? [baseline] : [])]
  const row = (name: string, of: (run: Report) => string) =>
    `<tr><th scope="row">${name}</th>${runs.map((run) => `<td>${of(run)}</td>`).join('')}</tr>`
  return `<table>
<tr><td></td><th scope="col">This run</th>${baseline ? '<th scope="col">Baseline</th>' : ''}</tr>
${row('Passed', ({ summary }) => `${rate(summary)} <small>95 %: ${interval(summary)}</small>`)}
${row('Model', ({ about }) => text(`${about.model}, ${about.provider}`))}
${row('Effort, thinking', ({ about }) => text(`${about.effort ?? 'as the model does'}, ${about.thinking ?? 'as the model does'}`))}
${row('Cost of a task', ({ summary }) => dollars(summary))}
${row('Time of a task', ({ summary }) => seconds(summary))}
${row('Tokens of a task', ({ summary }) => roundNumber(summary.tokens))}
${row('Attempts', ({ summary, repeats }) => `${summary.attempts}, each task ${repeats} times`)}
${row('Made', ({ at }) => text(at))}
${report.about.consent ? row('Consent of the owner', ({ about }) => text(about.consent ?? '')) : ''}
${row('Release', ({ about }) => text(about.release))}
${row('All that was measured', ({ about }) => `<code>${text(about.digest)}</code>`)}
</table>`
}

function worse(report: Report, baseline: Report | undefined): string {
  if (!baseline) return ''
  const list = regressions(report, baseline)
  if (list.length === 0) return '<p class="good">No task that the baseline passed fails now.</p>'
  const items = list.map(({ task }) => `<li><a href="#${text(task)}">${text(task)}</a></li>`)
  return `<p class="bad">The baseline passed ${list.length} tasks that fail now:</p><ul>${items.join('')}</ul>`
}

/** The tasks that are better and those that are worse, as far as the attempts can tell. */
function compared(kinds: Record<string, Difference>): string {
  const rows = Object.entries(kinds).map(([kind, difference]) => {
    const { by, interval } = difference
    const [low, high] = interval
    const { side, words } = verdict(difference)
    return `<tr><th scope="row">${text(kind)}</th><td class="n ${side}">${signed(by)} %</td><td class="n">${signed(low)} to ${signed(high)} %</td><td class="${side}">${words}</td></tr>`
  })
  return `<h3>Against the baseline</h3><table><tr><th scope="col">Kind</th><th scope="col" class="n">Difference</th><th scope="col" class="n">95 %</th><td></td></tr>${rows.join('\n')}</table>`
}

function verdict({ by, isClear }: Difference): { side: string; words: string } {
  if (!isClear) return { side: '', words: 'no clear difference' }
  return by > 0 ? { side: 'good', words: 'better' } : { side: 'bad', words: 'worse' }
}

function signed(part: number): string {
  const percent = Math.abs(part * 100).toFixed(0)
  if (part === 0) return percent
  return part > 0 ? `+${percent}` : `−${percent}`
}

type Line = { name: string; figures: Figures; other: Figures | undefined }

function table(of: string, lines: Line[], baseline: Report | undefined): string {
  const names = ['Passed', 'Cost', 'Time', 'Tokens', 'Calls']
  const heads = [...names, ...(baseline ? names.map((name) => `${name} before`) : [])]
  return `<table>
<tr><th scope="col">${of}</th>${heads.map((name) => `<th scope="col" class="n">${name}</th>`).join('')}</tr>
${lines.map(({ name, figures, other }) => `<tr><th scope="row">${name}</th>${cells(figures)}${baseline ? cells(other) : ''}</tr>`).join('\n')}
</table>`
}

function cells(figures: Figures | undefined): string {
  if (!figures) return '<td class="n">–</td>'.repeat(5)
  const { tokens, rounds } = figures
  const values = [rate(figures), dollars(figures), seconds(figures), roundNumber(tokens), rounds.toFixed(1)]
  return values.map((value) => `<td class="n">${value}</td>`).join('')
}

/** The verdicts of a second model beside those of the facts, which alone decide. */
function opinions({ tasks }: Report): string {
  const rows = tasks
    .flatMap(({ attempts }) => attempts)
    .flatMap(({ task, faults, opinion }) =>
      opinion
        ? [
            `<tr><th scope="row">${text(task)}</th><td>${faults.length === 0 ? 'passed' : 'failed'}</td><td>${opinion.passes ? 'passes' : 'fails'}</td><td>${text(opinion.words)}</td></tr>`,
          ]
        : [],
    )
  if (rows.length === 0) return ''
  return `<h2>The second model</h2><p>The facts decide.</p><table><tr><th scope="col">Task</th><th scope="col">By the facts</th><th scope="col">By the rubric</th><td></td></tr>${rows.join('\n')}</table>`
}

function failures(task: Report['tasks'][number], baseline: Report | undefined): string {
  const failed = task.attempts.filter(({ faults }) => faults.length > 0)
  if (failed.length === 0) return ''
  const before = baseline?.tasks.find(({ id }) => id === task.id)?.attempts.at(0)
  return `<section id="${text(task.id)}"><h3>${text(task.id)}</h3>
${failed
  .map(
    (attempt) =>
      `<div class="sides"><div><h4>This run, attempt ${attempt.repeat}</h4>${card(attempt)}</div>${before ? `<div><h4>Baseline</h4>${card(before)}</div>` : ''}</div>`,
  )
  .join('\n')}</section>`
}

function card({ faults, answer, transcript }: AttemptReport): string {
  const list = faults.map((fault) => `<li class="bad">${text(fault)}</li>`).join('')
  const verdict = faults.length > 0 ? `<ul>${list}</ul>` : '<p class="good">Passed.</p>'
  return `${verdict}${transcript ? transcript.map(entry).join('') : `<pre>${text(answer)}</pre>`}`
}

function entry({ role, content, toolCalls = [], toolName, outcome }: Message): string {
  const calls = toolCalls.map(({ name, arguments: args }) => `${name} ${JSON.stringify(args, null, 1)}`)
  const who = role === 'tool' ? `${toolName ?? 'tool'}, ${outcome ?? ''}` : role
  const said = [content, ...calls].filter((part) => part.trim() !== '').join('\n')
  return `<small>${text(who)}</small><pre>${text(said)}</pre>`
}

function rate({ passed, attempts }: Figures): string {
  const side = passed === attempts ? 'good' : 'bad'
  return `<span class="${side}">${passed} of ${attempts}</span>`
}

/** The bounds of a pass rate in percent. */
export function interval({ interval: [low, high] }: Pick<Figures, 'interval'>): string {
  return `${percent(low)}–${percent(high)} %`
}

const percent = (part: number) => (part * 100).toFixed(0)
const roundNumber = (value: number) => Math.round(value).toLocaleString('en')
const seconds = ({ ms }: Figures) => `${(ms / 1000).toFixed(1)} s`
const dollars = ({ microDollars }: Figures) =>
  microDollars === null ? 'no prices' : `$${(microDollars / 1_000_000).toFixed(4)}`

/** Cost and time by kind as a picture: a bar for this run, and below it a thin one for the baseline. */

type Row = { kind: string; figures: Figures; before: Figures | undefined }

const rowHeight = 34
const panelWidth = 330
const panels = [
  {
    title: 'Cost of a task',
    at: 120,
    of: ({ microDollars }: Figures) => (microDollars ?? 0) / 1_000_000,
    text: (value: number) => `$${value.toFixed(4)}`,
  },
  {
    title: 'Time of a task',
    at: 560,
    of: ({ ms }: Figures) => ms / 1_000,
    text: (value: number) => `${value.toFixed(1)} s`,
  },
]

/** The picture as SVG, with its values as text. */
function chart(rows: Row[]): string {
  const height = 30 + rows.length * rowHeight
  const names = rows.map(({ kind }, at) => `<text x="0" y="${46 + at * rowHeight}">${kind}</text>`)
  const bars = panels.map(({ title, at, of, text }) => {
    const values = rows.flatMap(({ figures, before }) => [of(figures), before ? of(before) : 0])
    const most = Math.max(...values, Number.MIN_VALUE)
    const width = (value: number) => Math.round((value / most) * panelWidth)
    const lines = rows.map(({ figures, before }, nth) => {
      const y = 32 + nth * rowHeight
      const old = before
        ? `<rect x="${at}" y="${y + 15}" width="${width(of(before))}" height="5" class="before"><title>${text(of(before))} before</title></rect>`
        : ''
      const value = of(figures)
      return `<rect x="${at}" y="${y}" width="${width(value)}" height="14" class="now"/>${old}<text x="${at + width(value) + 6}" y="${y + 12}">${text(value)}</text>`
    })
    return `<text x="${at}" y="16" class="head">${title}</text>${lines.join('')}`
  })
  return `<svg viewBox="0 0 980 ${height}" role="img" aria-label="Cost and time of a task by kind">${[...names, ...bars].join('')}</svg>`
}

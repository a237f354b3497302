import { html, nothing } from 'lit'
import type { LogAnswer, LogEntry, LogLevel } from '../../core/cms/schema.ts'
import { icon } from './icon.ts'
import { ModuleElement, searchField, titledFrame, withState } from './module-element.ts'
import { moment, t } from './text.ts'

const levels: LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical']
const step = 100
const mostEntries = 500

/** The Log module: the log entries, newest first, filtered by level and text. Exceptions have a trace. */
class BackendLog extends withState(ModuleElement<LogAnswer>, {
  level: 'info' as LogLevel,
  limit: step,
  text: '',
}) {
  protected override readonly keepsData = true

  protected override get path(): string {
    return `/log?level=${this.level}&limit=${this.limit}`
  }

  override render(): unknown {
    return titledFrame(t('module.log'), this.#tools(), super.render())
  }

  #tools(): unknown {
    return html`${searchField('search search-sm', t('log.filter'), this)}
      <label class="choice"><span class="vh">${t('log.level')}</span>
        <select class="input input-sm" @change=${this.#choose}>${levels.map(
          (level) =>
            html`<option value=${level} ?selected=${level === this.level}>${
              level === 'critical'
                ? t('level.critical')
                : t('log.levelAndWorse', { level: t(`level.${level}`) })
            }</option>`,
        )}</select>
      </label>
      <button class="btn btn-sm btn-quiet" type="button" @click=${() => this.reload()}>
        ${icon('retry')}${t('log.refresh')}
      </button>`
  }

  protected override draw({ entries }: LogAnswer): unknown {
    const wanted = this.text.trim().toLocaleLowerCase()
    const shown = entries.filter((entry) => searchTextOf(entry).includes(wanted))
    const mayGrow = entries.length >= this.limit && this.limit < mostEntries
    return html`<p class="vh" role="status">${shown.length === 0 ? t('log.none') : nothing}</p>
      ${shown.length === 0 ? html`<p class="meta" aria-hidden="true">${t('log.none')}</p>` : table(shown)}
      ${
        mayGrow
          ? html`<p><button class="btn btn-sm" type="button" @click=${this.#more}>${t('log.older')}</button></p>`
          : nothing
      }`
  }

  #choose = (event: Event): void => {
    this.level = (event.target as HTMLSelectElement).value as LogLevel
    this.limit = step
  }

  #more = (): void => {
    this.limit = Math.min(this.limit + step, mostEntries)
  }
}

customElements.define('backend-log', BackendLog)

/** Returns all text of an entry that the filter searches. */
function searchTextOf({ message, component, user, exception }: LogEntry): string {
  return [message, component, user, exception?.class, exception?.code].join(' ').toLocaleLowerCase()
}

function table(entries: LogEntry[]): unknown {
  return html`<div class="card table-wrap rows rows-log" role="region" aria-label=${t('module.log')} tabindex="0">
    <table>
      <thead><tr>
        <th scope="col">${t('log.time')}</th><th scope="col">${t('log.level')}</th>
        <th scope="col">${t('log.message')}</th><th scope="col">${t('log.component')}</th>
        <th scope="col">${t('log.user')}</th>
      </tr></thead>
      <tbody>${entries.map((entry) => row(entry))}</tbody>
    </table>
  </div>`
}

function row(entry: LogEntry): unknown {
  return html`<tr>
    <td><time datetime=${entry.at}>${moment(entry.at)}</time></td>
    <td><span class="level level-${entry.level}">${t(`level.${entry.level}`)}</span></td>
    <td class="message"><span dir="auto">${entry.message}</span>${entry.exception ? trace(entry.exception) : nothing}</td>
    <td>${entry.component}</td>
    <td>${entry.user}</td>
  </tr>`
}

function trace(exception: NonNullable<LogEntry['exception']>): unknown {
  return html`<details>
    <summary>${t('log.trace')} ${exception.class} (${exception.code})${
      exception.count > 1 ? html`, ${t('log.count', { count: exception.count })}` : nothing
    }</summary>
    <pre dir="ltr" tabindex="0">${exception.file}:${exception.line}\n${exception.trace.trim()}</pre>
  </details>`
}

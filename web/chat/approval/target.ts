import { html, nothing } from 'lit'
import type { PendingCall, RecordId } from '../../../core/conversation/schema.ts'
import { noun } from '../i18n/i18n.ts'
import { dayDifference, type Format } from '../reader-format.ts'
import { idIn, pageTable, recordHref, tableWord } from '../view/record-link.ts'
import type { View } from '../view/view.ts'
import { withMarks } from './hidden.ts'

/** Returns the times at which a record becomes visible and is hidden, in the user's time zone, with the time left. */
export function times({ t, format }: View, { tool, arguments: args }: PendingCall): string {
  if (tool !== 'set_state') return ''
  const said = (['from', 'until'] as const).flatMap((name) => {
    const at = args[name]
    if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) return []
    return [
      t(`approval.${name === 'from' ? 'begins' : 'ends'}`, { time: plannedTime(format, at, Date.now()) }),
    ]
  })
  return said.join(' ')
}

/** Formats a planned time in the user's time zone: `Monday 30 November 2026 at 08:00 CET, in 7 days` */
export function plannedTime({ locale }: Format, at: string, now: number): string {
  const date = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const
  const time = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const
  const days = -dayDifference(at, now)
  const hours = Math.round((Date.parse(at) - now) / 3_600_000)
  const far = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const away = days === 0 && hours !== 0 ? far.format(hours, 'hour') : far.format(days, 'day')
  return `${new Intl.DateTimeFormat(locale, { ...date, ...time }).format(new Date(at))}, ${away}`
}

/**
 * Returns a sentence with the record and its page as links. It also says that a new record or translation is hidden.
 */
export function place(view: View, { preview, arguments: args }: PendingCall): unknown {
  const { t } = view
  if (!preview) return nothing
  const { table } = preview
  const record = tableWord(view, table)
  const link = (target: string, uid: RecordId, words: string) =>
    html`<a href=${recordHref(view, target, uid)} data-table=${target} data-uid=${uid}>${withMarks(view, words)}</a>`
  if (preview.original !== undefined) {
    const it = link(table, preview.original, `${record} [${preview.original}]`)
    return html`${t('approval.translationOf')} ${it}. ${t('approval.hidden')}`
  }
  const pages = pageTable(view)
  const { uid: page, title } = preview.page ?? { uid: idIn(String(args.page ?? args.parent)), title: '' }
  const on = () => link(pages ?? table, page, `${title} [${page}]`.trim())
  if (preview.uid !== null) {
    const it = link(table, preview.uid, `${record} [${preview.uid}]`)
    // For a record without a page, the CMS names the record itself.
    const isItself = table === pages || (page === preview.uid && title === preview.label)
    return preview.page && pages !== null && !isItself
      ? html`${it} ${t('approval.on')} ${on()}.`
      : html`${it}.`
  }
  const name = { record: noun(t, record) }
  if (pages === null || page === 0) return html`${t('approval.newAlone', name)} ${t('approval.hidden')}`
  const words = table === pages ? t('approval.newPage') : t('approval.new', name)
  return html`${words} ${on()}. ${t('approval.hidden')}`
}

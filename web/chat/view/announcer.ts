import type { Message } from '../../../core/conversation/transcript/schema.ts'
import type { Translate } from '../i18n/i18n.ts'
import { isBusy } from '../store/known-transcript.ts'
import type { Conversation } from '../store/open-conversation.ts'
import { answerOf, type TurnRow } from '../store/turn-rows.ts'

/** The view whose conversation is announced; it draws the live region. */
type AnnouncedState = {
  readonly conversation: Conversation
  readonly store: { readonly retryAt: number | null }
  readonly t: Translate
  readonly prose: { plain(message: Message, turn: TurnRow): string; readonly isComing: boolean }
  find(selector: string): HTMLElement | null
}

const readLength = 200
/** The minimum time that a sentence stays in the live region, in milliseconds. */
const standMs = 1_000

/** Returns the text of the notice above the composer; a request without an answer has a sentence of its own. */
export const remarkText = ({ remark }: Conversation, t: Translate) => remark?.text || t('remark.unanswered')

/** Announces events to users of a screen reader, one sentence at a time, in the element's only live region. */
export class Announcer {
  readonly #view: AnnouncedState
  #known = {
    conversation: null as Conversation | null,
    archived: true as boolean | undefined,
    busy: false,
    sent: '',
    digest: '',
    problems: new Map<unknown, string>(),
  }
  /** The text of the live region. */
  text = ''
  #waitingLines: string[] = []
  #stands = false

  constructor(view: AnnouncedState) {
    this.#view = view
  }

  /** Announces a sentence after the waiting sentences; a sentence that is added twice is announced twice. */
  say(text: string): void {
    this.#waitingLines.push(text)
    if (!this.#stands) this.#next()
  }

  #next(): void {
    const text = this.#waitingLines.shift()
    this.#stands = text !== undefined
    if (text === undefined) return
    // A screen reader does not read an unchanged text again, so an invisible character is added.
    this.text = text === this.text ? `${text}\u200b` : text
    // Sets the text without a render, because an announcement must not draw the element again.
    const region = this.#view.find('.vh[role=status]')
    if (region) region.textContent = this.text
    setTimeout(() => this.#next(), standMs)
  }

  /** Compares the current state with the announced state, after each change. */
  update(): void {
    const { conversation, store, t, prose } = this.#view
    const before = this.#known
    const isSame = conversation === before.conversation
    // The end of a turn may be known before its answer is loaded or can be drawn; it is announced only with the answer.
    const isComing = conversation.isBehind || prose.isComing
    const busy = isBusy(conversation.status) || (isSame && before.busy && isComing)
    const sent = conversation.pending.findLast(({ state }) => state === 'sent')?.key ?? before.sent
    const digest = conversation.transcript.approval?.digest ?? ''
    const archived = conversation.transcript.summary?.archived
    const problems = new Map(this.#findProblems())
    this.#known = { conversation, archived, busy, sent, digest, problems }
    if (!isSame) return
    const arisen = [...problems].filter(([key]) => !before.problems.has(key))
    for (const [, text] of arisen) this.say(text)
    if (before.problems.has(store) && !problems.has(store)) this.say(t('offline.back'))
    if (conversation.isFresh) return
    if (before.archived === false && archived) this.say(t('composer.archived'))
    if (sent !== before.sent) this.say(t('say.sent'))
    if (busy && !before.busy) this.say(t('say.working'))
    if (digest && digest !== before.digest) this.say(this.#waiting())
    else if (before.busy && !busy && !digest) this.#ended()
  }

  /** Yields the sentences of the shown notices and problems, each with a key of its occurrence. */
  *#findProblems(): Generator<[unknown, string]> {
    const { conversation, store, t } = this.#view
    const { remark, pending, attachments } = conversation
    if (store.retryAt !== null) yield [store, t('offline.trying')]
    if (remark) yield [remark, remarkText(conversation, t)]
    for (const { state, key, reason } of pending)
      if (state === 'unsent') yield [key, [t('message.notSent'), reason].filter(Boolean).join('. ')]
    for (const { id, file, reason } of attachments)
      if (reason) yield [id, t('writing.named', { name: file.name, text: reason })]
  }

  #waiting(): string {
    const { conversation, t } = this.#view
    const calls = conversation.transcript.approval?.calls ?? []
    const title = calls.length === 1 ? (calls[0]?.title ?? '') : t('approval.many', { count: calls.length })
    return t(calls[0]?.question ? 'say.question' : 'say.approval', { title })
  }

  #ended(): void {
    const { conversation, t } = this.#view
    if (conversation.status === 'failed') {
      const code = conversation.transcript.summary?.errorCode ?? 'internal.error'
      this.say(t('say.failed', { text: t(`failed.${code}`) }))
      return
    }
    const row = conversation.rows.at(-1)
    if (row?.kind !== 'turn') return
    for (const message of row.messages) if (message.notice === 'notUsed') this.say(message.content)
    const notice = row.messages.at(-1)?.notice
    if (notice && notice !== 'demo' && notice !== 'truncated') {
      this.say(t(`notice.${notice}`))
      return
    }
    const last = row.messages.findLast((message) => message.role === 'assistant' && message.content)
    const text = last ? this.#view.prose.plain(last, row) : answerOf(row)
    this.say(t('say.ready', { text: [...text].slice(0, readLength).join('') }))
  }
}

import type { Mention } from '../../../core/conversation/schema.ts'
import type { View } from '../view/view.ts'

/** The most mentions that the stage accepts. */
const mostChoices = 10

const isSame = (a: Mention, b: Mention) =>
  (a.kind === 'user') === (b.kind === 'user') && a.table === b.table && a.uid === b.uid

/** Puts something to the message being written, once, and says so. */
export function choose(view: View, it: Mention): void {
  const { conversation, store, announcer, t } = view
  const others = conversation.mentions.filter((one) => !isSame(one, it))
  if (others.length >= mostChoices) {
    const text = t('mention.full', { count: mostChoices })
    conversation.remark = { kind: 'info', text }
    announcer.say(text)
  } else {
    conversation.mentions = [...others, it]
    // A user who was quicker than the session stays in this conversation.
    conversation.isWritten = true
    announcer.say(t('mention.added', { name: it.title }))
  }
  store?.changed()
  view.requestUpdate()
}

/** Takes something out of the message being written. */
export function leaveOut(view: View, it: Mention): void {
  const { conversation, store } = view
  conversation.mentions = conversation.mentions.filter((one) => one !== it)
  store?.changed()
  view.focusMessage()
}

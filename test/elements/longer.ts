import en from '../../core/base/languages/en/chat.json'
import { translator } from '../../web/chat/i18n/i18n.ts'
import type { View } from '../../web/chat/view/view.ts'

/** A label in the language of the tests: half as long again. */
export const lengthen = (text: string): string => `${text} ${'ש'.repeat(Math.ceil(text.length / 2))}`

const longer = Object.fromEntries(
  Object.entries(en).map(([key, entry]) => {
    if (key.startsWith('writing.')) return [key, key === 'writing.direction' ? 'rtl' : entry]
    const { one, other } = typeof entry === 'string' ? { one: entry, other: entry } : entry
    return [key, typeof entry === 'string' ? lengthen(entry) : { one: lengthen(one), other: lengthen(other) }]
  }),
)

/** Makes an element speak the language of the tests: longer sentences, right to left, with the plurals of Arabic. */
export async function speakLonger(element: View): Promise<void> {
  element.locale.t = translator('ar', longer)
  element.requestUpdate()
  await element.updateComplete
}

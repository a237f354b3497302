import type { View } from './view.ts'

/** Puts text on the clipboard, and says so. */
export async function copy(view: View, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    view.announcer.say(view.t('say.copied'))
  } catch {
    // The browser refuses: there is nothing to say that would be true.
  }
}

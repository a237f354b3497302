import type { View } from './view.ts'

/** Copies text to the clipboard and announces the result: copied, or refused by the browser. */
export async function copy(view: View, text: string): Promise<void> {
  const isCopied = await navigator.clipboard.writeText(text).then(
    () => true,
    // In a frame of another site, `writeText` may be forbidden; a copy command in the user's click may still work.
    () => copyByCommand(text),
  )
  view.announcer.say(view.t(isCopied ? 'say.copied' : 'say.notCopied'))
}

/** Runs a copy command with the text; returns false if the browser refuses it. */
function copyByCommand(text: string): boolean {
  const fill = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  document.addEventListener('copy', fill, { capture: true })
  const isCopied = document.execCommand('copy')
  document.removeEventListener('copy', fill, { capture: true })
  return isCopied
}

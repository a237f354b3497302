import type { View } from './view.ts'

/** Puts text on the clipboard and announces the result: copied, or refused by the browser. */
export async function copy(view: View, text: string): Promise<void> {
  const isCopied = await navigator.clipboard.writeText(text).then(
    () => true,
    // A frame of another site may not write by itself; a page may still answer the user's own copying.
    () => copyByCommand(text),
  )
  view.announcer.say(view.t(isCopied ? 'say.copied' : 'say.notCopied'))
}

/** Answers a copy command with the text; false if the browser refuses the command. */
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

import { type NavigateDetail, send } from '../events.ts'

/** The address of a record in the page around. */
export function recordHref({ recordHref }: { recordHref: string }, table: string, uid: number): string {
  return recordHref.replace('{table}', encodeURIComponent(table)).replace('{uid}', encodeURIComponent(uid))
}

/** Takes the user to a record: by the page around, else by the link itself. */
export function navigate(view: EventTarget, event: Event, detail: NavigateDetail): void {
  if (!send(view, 'ai-chat-navigate', detail)) event.preventDefault()
}

import type { Mention, RecordId } from '../../core/conversation/schema.ts'
import type { SessionAnswer } from '../../core/user/session/schema.ts'
import type { BackendPlace } from './route.ts'

/** The record or page that a module shows. The window's title, the tree and the chat's context use it. */
export type ShownDetail = { title: string; page: ShownPage | null }

/** A page; `mayEdit` is the user's right to change its content. */
type ShownPage = { uid: RecordId; title: string; mayEdit: boolean }

/** The events of the backend's own elements; all of them bubble. */
type Events = {
  /** A session began. */
  'backend-session': SessionAnswer
  /** The user wants to log out. */
  'backend-logout': null
  'backend-shown': ShownDetail
  /** A record of the table was saved. */
  'backend-changed': string
  /** A page was chosen in the tree. */
  'backend-choose': RecordId
  'backend-go': BackendPlace
  /** The user wants to ask the assistant about a record. */
  'backend-ask': Mention
}

/** Dispatches an event on this element; it bubbles to the elements around it. */
export function sendBackendEvent<N extends keyof Events>(
  from: EventTarget,
  name: N,
  detail: Events[N],
): void {
  from.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }))
}

type EventMap = { [N in keyof Events]: CustomEvent<Events[N]> }

declare global {
  interface HTMLElementEventMap extends EventMap {}
}

import { approval, outcome } from '../approval/on-demand.ts'
import { attachments } from '../composer/on-demand.ts'
import { actionMenu, switchMenu } from '../conversation/on-demand.ts'
import { history } from '../history/list.ts'
import { foot, tick } from '../history/on-demand.ts'
import { editor } from '../message/edit.ts'
import { after, failed, sentFile } from '../message/on-demand.ts'
import { timeline } from '../steps/on-demand.ts'
import { fetchReader, whenIdle } from '../view/answer-renderer.ts'
import { dialog } from '../view/on-demand.ts'
import type { View } from '../view/view.ts'

/** The time that the page around has for its own start. */
const aheadMs = 2_000

/** Fetches soon the parts that many conversations never show, so that a lost connection finds them here. */
export function fetchAhead(): void {
  const parts = [
    timeline,
    approval,
    outcome,
    after,
    failed,
    sentFile,
    attachments,
    editor,
    dialog,
    actionMenu,
    switchMenu,
    history,
    tick,
    foot,
  ]
  const load = () => Promise.all([fetchReader(), ...parts.map((part) => part.load())])
  setTimeout(() => whenIdle(() => void load()), aheadMs)
}

/** Fetches what shows the answers of a conversation, while the conversation itself is asked for. */
export function fetchAnswers(view: View): void {
  view.prose.prepare()
  void after.load().then(() => view.requestUpdate())
}

/** Tells page and user what changed; loaded apart from the start, since nothing does before a person has decided. */
export function tellLater(view: View): void {
  const { store } = view
  if (view.conversation.id || store?.busyCount || store?.heard.length || store?.memory.notifies)
    import('./later.ts').then(
      ({ later }) => later(view),
      () => {
        // There is no connection. The next change of the store fetches it again, and tells all that changed.
      },
    )
}

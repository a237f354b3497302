import type { Inspected } from '../../core/cms/bridge/hello.ts'

/** The output for a person, and the pause between two checks of a CMS. */
type Terminal = { print(line: string): void; complain(text: string): void; pause(): Promise<unknown> }

/**
 * Reports the problems of a connection to a CMS, again when they change, and finally that the CMS answers. `seen` is
 * the first result. Ends when there is no problem; the stage itself does not wait, because it connects at each request.
 */
export async function untilWell(
  seen: Inspected,
  look: () => Promise<Inspected>,
  { print, complain, pause }: Terminal,
): Promise<void> {
  let printed = ''
  for (let now = seen; ; now = await look()) {
    const { greeting, faults } = now
    if (greeting && faults.length === 0) {
      if (printed) print(`The CMS answers now: ${greeting.name} ${greeting.version}.`)
      return
    }
    const text = faults.join('\n')
    if (text !== printed) complain(text)
    if (!printed)
      print('The chat starts all the same, asks the CMS at each request, and goes on when it answers.')
    printed = text
    await pause()
  }
}

import type { Inspected } from '../../core/cms/bridge/hello.ts'

/** How a person hears of a CMS, and how long is waited between two looks at it. */
type Terminal = { print(line: string): void; complain(text: string): void; pause(): Promise<unknown> }

/**
 * Tells what is wrong with the line to a CMS, again when that changes, and at last that the CMS answers. `seen` is the first
 * look. Ends when nothing is wrong; the stage itself needs none of it, since it asks the CMS at each request.
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

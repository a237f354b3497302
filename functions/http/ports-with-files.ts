import { type Ports, wire } from '../../core/ports.ts'

let wired: Ports | undefined

/** Returns the ports of a function that may also read the files of the site; the first call wires them. */
export function portsWithFiles(): Ports {
  wired ??= wire(async (...given) => (await import('../../core/file/site-files.ts')).siteFile(...given))
  return wired
}

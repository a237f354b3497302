/**
 * `npm run user-data -- export|erase --user ID`: exports all of a user's data from the service into a folder, or erases
 * them; `--stage` names a deployed stage. Both actions store a record of their progress, and resume after an
 * interruption. Prints the record as one JSON line, and progress on stderr. Exit codes: 0 done, 1 turns of the user
 * still run (call it again), 2 wrong call.
 */
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isRecord, parsedJson } from '../core/base/json.ts'
import { eraseUser } from '../core/chat/user-data/erase.ts'
import { exportUser, type Sink } from '../core/chat/user-data/export.ts'
import { live } from '../core/live.ts'
import { complain, print, runStageCommand, text, UsageError } from './command.ts'
import { refuseNobody, uidIn } from './user-argument.ts'

const usage = 'npm run user-data -- export|erase --user ID [--out FOLDER] [--lang en] [--stage NAME]'

const options = { user: text, out: text, lang: { ...text, default: 'en' }, stage: text }

runStageCommand(usage, { allowPositionals: true, options }, async ({ values, positionals }) => {
  const uid = await uidIn('user', values.user)
  const [act, ...others] = positionals
  if (uid === undefined)
    throw new UsageError('--user is needed: the number of a user, or the id that they have in the CMS.')
  if (others.length > 0 || (act !== 'export' && act !== 'erase'))
    throw new UsageError('Say what to do: export, or erase.')
  const { clock, cms } = live()
  const admit = (found: number) => refuseNobody(cms, uid, found)
  if (act === 'export') {
    const folder = resolve(values.out ?? `user-${uid}`)
    await refuseOthers(folder, uid)
    const record = await exportUser(uid, values.lang, sinkOf(folder), clock, reportRows, admit)
    print(JSON.stringify({ ...record, folder }))
    return 0
  }
  const { record, running } = await eraseUser(uid, clock, reportRows, admit)
  print(JSON.stringify({ ...record, running }))
  if (record.endedAt !== undefined) return 0
  complain('Turns of the user still run, and will stop at their next step: call this again in a minute.')
  return 1
})

/** Prints the progress of reading the table on stderr; each reading starts at 0. */
function reportRows(rows: number): void {
  process.stderr.write(`${rows} rows of the table read\n`)
}

/** Throws UsageError if the folder holds anything but an interrupted export of this user. */
async function refuseOthers(folder: string, uid: number): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  if (names.length === 0) return
  const begun = parsedJson(await readFile(join(folder, 'export.json'), 'utf8').catch(() => ''))
  if (isRecord(begun) && begun.uid === uid && begun.endedAt === undefined) return
  throw new UsageError(
    `${folder} is not empty, and holds no interrupted export of user ${uid}. Name another folder with --out.`,
  )
}

/** Returns a sink to a folder that only its owner may read. A file gets its name only after it is complete. */
function sinkOf(folder: string): Sink {
  return {
    has: async (path, size) => {
      const known = await stat(join(folder, path)).catch(() => undefined)
      return known?.size === size
    },
    write: async (path, content) => {
      const target = join(folder, path)
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      await writeFile(`${target}.part`, content, { mode: 0o600 })
      await rename(`${target}.part`, target)
    },
  }
}

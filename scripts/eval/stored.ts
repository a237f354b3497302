import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parsedJson } from '../../core/base/json.ts'
import { readNamed, UsageError } from '../command.ts'
import { pageOf } from './html-report.ts'
import { About, AttemptReport, Report } from './report.ts'

/**
 * The folder of a run. It stores each attempt as soon as the attempt ends: an interrupted run can resume. Finally it
 * stores the report.
 */

const attemptsFile = (folder: string) => join(folder, 'attempts.jsonl')

/**
 * Returns the attempts of an earlier run of the same subject that the folder contains, made at `since` or later.
 * Removes all other attempts from the folder, and a last line that a killed run has written only in part.
 */
export async function resume(folder: string, about: About, since: number): Promise<AttemptReport[]> {
  await mkdir(folder, { recursive: true })
  const text = await readFile(attemptsFile(folder), 'utf8').catch(() => '')
  const [head, ...lines] = text.split('\n').map(parsedJson)
  const isSame = About.safeParse(head).data?.digest === about.digest
  const known = isSame ? lines.flatMap((line) => AttemptReport.safeParse(line).data ?? []) : []
  const fresh = known.filter(({ at }) => Date.parse(at) >= since)
  // A run that is killed here must not lose the attempts, which have cost calls of a model.
  const part = `${attemptsFile(folder)}.part`
  await writeFile(part, [about, ...fresh].map((line) => `${JSON.stringify(line)}\n`).join(''))
  await rename(part, attemptsFile(folder))
  return fresh
}

/** Adds an attempt to the folder. */
export async function keep(folder: string, attempt: AttemptReport): Promise<void> {
  await appendFile(attemptsFile(folder), `${JSON.stringify(attempt)}\n`)
}

/** Writes the report of a run into the folder, as JSON and as a page; returns the paths of the two files. */
export async function publish(
  folder: string,
  report: Report,
  baseline: Report | undefined,
): Promise<{ json: string; page: string }> {
  const files = { json: join(folder, 'report.json'), page: join(folder, 'report.html') }
  await writeFile(files.json, `${JSON.stringify(report, undefined, 2)}\n`)
  await writeFile(files.page, pageOf(report, baseline))
  return files
}

/** Reads the report of an earlier run. Throws UsageError if the file contains no report. */
export async function readReport(path: string): Promise<Report> {
  const text = await readNamed(path)
  const { data } = Report.safeParse(parsedJson(text))
  if (!data) throw new UsageError(`${path} holds no report of this release of npm run eval.`)
  return data
}

import { singleId, type ToolCall } from '../conversation/transcript/schema.ts'
import { askUser } from './read/ask-user.ts'
import { checkSite } from './read/check-site.ts'
import { compareVersions } from './read/compare-versions.ts'
import { describeTable } from './read/describe-table.ts'
import { fetchLogs } from './read/fetch-logs.ts'
import { findMedia } from './read/find-media.ts'
import { findPageByAddress } from './read/find-page-by-address.ts'
import { getLastException } from './read/get-last-exception.ts'
import { getPageContent } from './read/get-page-content.ts'
import { getPageTree } from './read/get-page-tree.ts'
import { getRecord } from './read/get-record.ts'
import { getRecordHistory } from './read/get-record-history.ts'
import { getSystemStatus } from './read/get-system-status.ts'
import { listBackendUsers } from './read/list-backend-users.ts'
import { listFiles } from './read/list-files.ts'
import { listRecords } from './read/list-records.ts'
import { readFile } from './read/read-file.ts'
import { searchRecords } from './read/search-records.ts'
import { viewImage } from './read/view-image.ts'
import { whereUsed } from './read/where-used.ts'
import type { Tool } from './tool.ts'
import { attachMedia } from './write/attach-media.ts'
import { changeParts } from './write/change-parts.ts'
import { createContentDraft } from './write/create-content-draft.ts'
import { createPageDraft } from './write/create-page-draft.ts'
import { createRecords } from './write/create-records.ts'
import { deleteRecord, undeleteRecord } from './write/delete-record.ts'
import { duplicateRecord } from './write/duplicate-record.ts'
import { moveRecord } from './write/move-record.ts'
import { replaceText } from './write/replace-text.ts'
import { restoreVersion } from './write/restore-version.ts'
import { setState } from './write/set-state.ts'
import { translateRecord } from './write/translate-record.ts'
import { updateRecord } from './write/update-record.ts'
import { updateRecords } from './write/update-records.ts'

/** Every tool, in the order for models and people; a new tool goes to the end of its kind. */
export const tools: readonly Tool[] = [
  getPageTree,
  getPageContent,
  searchRecords,
  listRecords,
  getRecord,
  getRecordHistory,
  listFiles,
  fetchLogs,
  getLastException,
  getSystemStatus,
  listBackendUsers,
  whereUsed,
  compareVersions,
  findPageByAddress,
  describeTable,
  checkSite,
  findMedia,
  viewImage,
  readFile,
  askUser,
  updateRecord,
  createPageDraft,
  createContentDraft,
  replaceText,
  updateRecords,
  setState,
  moveRecord,
  restoreVersion,
  attachMedia,
  translateRecord,
  createRecords,
  changeParts,
  deleteRecord,
  undeleteRecord,
  duplicateRecord,
]

/** Finds a tool by its name; undefined if there is none. */
export function find(name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name)
}

/** The description of a tool for a model that gets the offered tools: it names none that is not among them. */
export function descriptionOf(tool: Tool, offered: readonly Tool[]): string {
  return tool.schema ? tool.description : fitting(tool.description, offered)
}

/** The guidance of the offered tools, each sentence once, in the order of the tools. */
export function guidanceOf(offered: readonly Tool[]): string[] {
  const own = offered.map((tool) => fitting(tool.guidance ?? '', offered))
  return [...new Set(own.filter((text) => text !== ''))]
}

/** A text without the sentences that name a tool which is not offered. */
function fitting(text: string, offered: readonly Tool[]): string {
  const isHere = (name: string) => !find(name) || offered.some((tool) => tool.name === name)
  const sentences = text.split(/(?<=\.) /)
  return sentences.filter((one) => (one.match(/[a-z]+(?:_[a-z]+)+/g) ?? []).every(isHere)).join(' ')
}

/**
 * Splits a batch into one call for each record. Any other call stays whole, and so does a batch with invalid arguments,
 * which is then refused as a whole.
 */
export function singles(call: ToolCall): ToolCall[] {
  const tool = find(call.name)
  if (!tool?.writes || 'call' in tool || !tool.split) return [call]
  const { success, data } = tool.parameters.safeParse(call.arguments)
  const parts = success ? (tool.split(data) as ToolCall['arguments'][]) : []
  if (parts.length < 2) return [call]
  return parts.map((args, at) => ({ ...call, id: singleId(call.id, at), arguments: args }))
}

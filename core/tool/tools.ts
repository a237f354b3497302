import { singleId, type ToolCall } from '../conversation/transcript/schema.ts'
import { askUser } from './read/ask-user.ts'
import { listFiles, readFile } from './read/files.ts'
import { compareVersions, getRecordHistory } from './read/history.ts'
import { findMedia, viewImage } from './read/media.ts'
import { findPageByAddress, getPageContent, getPageTree } from './read/pages.ts'
import { describeTable, getRecord, listRecords, searchRecords } from './read/records.ts'
import { checkSite, whereUsed } from './read/site.ts'
import { fetchLogs, getLastException, getSystemStatus, listBackendUsers } from './read/system.ts'
import type { Tool } from './tool.ts'
import {
  createContentDraft,
  createPageDraft,
  createRecords,
  duplicateRecord,
  translateRecord,
} from './write/create.ts'
import { attachMedia, changeParts, replaceText, updateRecord, updateRecords } from './write/fields.ts'
import { deleteRecord, moveRecord, restoreVersion, setState, undeleteRecord } from './write/record.ts'

/** Every tool, in the order for models and people; new tools go to the end of their kind. */
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

/** Returns the tool with this name; undefined if there is none. */
export const find = (name: string): Tool | undefined => tools.find((tool) => tool.name === name)

/** Returns the description of a tool for a model, without sentences that name tools the model does not get. */
export function descriptionOf(tool: Tool, offered: readonly Tool[]): string {
  return tool.schema ? tool.description : fitting(tool.description, offered)
}

/** Returns the guidance of the offered tools, each text once, in the order of the tools. */
export function guidanceOf(offered: readonly Tool[]): string[] {
  const own = offered.map((tool) => fitting(tool.guidance ?? '', offered))
  return [...new Set(own.filter((text) => text !== ''))]
}

/** Returns the text without the sentences that name a tool that is not offered. */
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

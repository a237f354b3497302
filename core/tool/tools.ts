import { askUser } from './ask-user.ts'
import { attachMedia } from './attach-media.ts'
import { changeParts } from './change-parts.ts'
import { checkSite } from './check-site.ts'
import { compareVersions } from './compare-versions.ts'
import { createContentDraft } from './create-content-draft.ts'
import { createPageDraft } from './create-page-draft.ts'
import { createRecords } from './create-records.ts'
import { deleteRecord } from './delete-record.ts'
import { describeTable } from './describe-table.ts'
import { fetchLogs } from './fetch-logs.ts'
import { findMedia } from './find-media.ts'
import { findPageByAddress } from './find-page-by-address.ts'
import { getLastException } from './get-last-exception.ts'
import { getPageContent } from './get-page-content.ts'
import { getPageTree } from './get-page-tree.ts'
import { getRecord } from './get-record.ts'
import { getRecordHistory } from './get-record-history.ts'
import { getSystemStatus } from './get-system-status.ts'
import { listBackendUsers } from './list-backend-users.ts'
import { listFiles } from './list-files.ts'
import { listRecords } from './list-records.ts'
import { moveRecord } from './move-record.ts'
import { replaceText } from './replace-text.ts'
import { restoreVersion } from './restore-version.ts'
import { searchRecords } from './search-records.ts'
import { setState } from './set-state.ts'
import type { Tool } from './tool.ts'
import { translateRecord } from './translate-record.ts'
import { undeleteRecord } from './undelete-record.ts'
import { updateRecord } from './update-record.ts'
import { updateRecords } from './update-records.ts'
import { viewImage } from './view-image.ts'
import { whereUsed } from './where-used.ts'

/** Every tool there is, in the order in which models and people get them; a new one goes to the end of its kind. */
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
]

/** The tool of a name; undefined when none is registered under it. */
export function find(name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name)
}

import * as z from 'zod'
import { objectOf, strictObjectOf } from '../base/lazy-schema.ts'

/** Size limit of one file in bytes. */
export const maxFileBytes = 20_971_520

/** Limit of files in a conversation; a file counts once for each message that names it. */
export const maxFilesPerConversation = 5

/** The public data of a stored file. */
export const FileInfo = objectOf(() => ({
  fileUid: z.int().positive(),
  name: z.string(),
  mimeType: z.string(),
  size: z.int().min(1),
}))
export type FileInfo = z.infer<typeof FileInfo>

/** The request for a direct upload. `size` has no maximum here, since a large file gets an error of its own. */
export const UploadRequest = strictObjectOf(() => ({
  name: z.string().min(1).max(1_000),
  mimeType: z.string().max(200),
  size: z.int().min(1),
}))

/** The form of a direct upload: a presigned POST that is valid for five minutes. */
export const UploadAnswer = objectOf(() => ({
  fileUid: z.int().positive(),
  upload: z.object({ url: z.url(), fields: z.record(z.string(), z.string()) }),
}))
export type UploadAnswer = z.infer<typeof UploadAnswer>

/** A stored file with a URL that is valid for five minutes, and a sentence about the last turn's reading. */
export const FileInfoAnswer = z.lazy(() =>
  FileInfo.unwrap().extend({ url: z.url(), read: z.string().optional() }),
)
export type FileInfoAnswer = z.infer<typeof FileInfoAnswer>

/** The uid of a file. */
const FileUid = z.int().positive()

/** The request that ends a direct upload. */
export const CompleteRequest = strictObjectOf(() => ({ fileUid: FileUid }))

/** The query for one file; the query string holds its uid as text. */
export const FileInfoQuery = strictObjectOf(() => ({
  fileUid: z
    .string()
    .regex(/^[0-9]{1,15}$/)
    .transform(Number)
    .pipe(FileUid),
  /** `1`: the URL shows a PDF in the browser, so that an appended `#page=2` opens that page. */
  inline: z.literal('1').optional(),
}))

import * as z from 'zod'
import { uid } from '../cms/schema.ts'
import { Mention, MentionKind, Name, TextId, ViewContext } from '../conversation/schema.ts'
import { PromptId, PromptText, PromptTitle, SavedPrompt } from '../saved-prompt/schema.ts'
import { text } from './request.ts'

/** What the endpoints take and answer that help to write a message; the function that sends does without them. */

/**
 * `GET /mentions`: what a message could name. `page` is the open page, whose parts come first where no words are given; with
 * `kind`, `table` and `uid` that one alone.
 */
export const MentionsQuery = z.strictObject({
  query: text(100).default(''),
  kind: MentionKind.optional(),
  page: TextId.optional(),
  table: Name.optional(),
  uid: uid.optional(),
})
/** The best matches first, at most 20. */
export const MentionsAnswer = z.object({ mentions: z.array(Mention) })
export type MentionsAnswer = z.infer<typeof MentionsAnswer>

/** `GET /prompts`: prompts for the message; `module` is the one that is open. */
export const PromptsQuery = z.strictObject({ module: ViewContext.shape.module.default('') })
const Own = z.object({ own: z.array(SavedPrompt) })
/** The prompts of the stage that are for this user and module, and the user's own. */
export const PromptsAnswer = Own.extend({ shared: z.array(SavedPrompt.omit({ id: true })) })
export type PromptsAnswer = z.infer<typeof PromptsAnswer>
/** `POST /prompts/save`: with an `id` in the place of that one. */
export const SavePromptBody = z.strictObject({
  id: PromptId.optional(),
  title: PromptTitle,
  text: PromptText,
})
/** `POST /prompts/delete` */
export const DeletePromptBody = z.strictObject({ id: PromptId })
/** The user's own prompts as they are now. */
export const OwnPromptsAnswer = Own
export type OwnPromptsAnswer = z.infer<typeof OwnPromptsAnswer>

/** `GET /picture`: a picture by the record that has it. */
export const PictureQuery = z.lazy(() => z.strictObject({ table: Name, uid }))
/** What a record of media shows: at most 3,000,000 bytes, of the type that the content has. */
export const PictureAnswer = z.lazy(() =>
  z.object({
    mimeType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    base64: z.string(),
    /** Pixels. */
    width: z.int(),
    height: z.int(),
  }),
)
export type PictureAnswer = z.infer<typeof PictureAnswer>

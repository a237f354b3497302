import * as z from 'zod'
import { Actor } from '../../core/base/actor.ts'
import { MessagesAnswer } from '../../core/chat/messages-request.ts'
import * as Request from '../../core/chat/request.ts'
import { StatusAnswer } from '../../core/chat/status-request.ts'
import * as Cms from '../../core/cms/schema.ts'
import * as Conversation from '../../core/conversation/schema.ts'
import { ConversationAnswer, EditAnswer, SendAnswer } from '../../core/conversation/schema.ts'
import { Message, ToolCall } from '../../core/conversation/transcript/schema.ts'
import * as File from '../../core/file/schema.ts'
import * as Usage from '../../core/stage/usage/schema.ts'
import * as Session from '../../core/user/session/schema.ts'
import { Refusal } from '../../functions/mcp.ts'

const named = {
  Error: Request.ErrorAnswer,
  RpcError: Refusal,
  Summary: Conversation.Summary,
  ViewContext: Conversation.ViewContext,
  Activity: Conversation.Activity,
  PendingApproval: Conversation.PendingApproval,
  Preview: Conversation.Preview,
  FieldChange: Conversation.FieldChange,
  Message,
  ToolCall,
  User: Actor,
  Page: Cms.Page,
  TreePage: Cms.TreePage,
  Table: Cms.Table,
  Field: Cms.Field,
  Record: Cms.CmsRecord,
  HistoryEntry: Cms.HistoryEntry,
  LogEntry: Cms.LogEntry,
  File: File.FileInfo,
  StatusAnswer,
  ListAnswer: Request.ListAnswer,
  ConversationAnswer,
  SendAnswer,
  EditAnswer,
  MessagesAnswer,
  SystemPromptAnswer: Request.SystemPromptAnswer,
  UndoAnswer: Request.UndoAnswer,
  UploadAnswer: File.UploadAnswer,
  FileInfoAnswer: File.FileInfoAnswer,
  SessionAnswer: Session.SessionAnswer,
  BearerAnswer: Session.BearerAnswer,
  DemoUsersAnswer: Session.DemoUsersAnswer,
  PagesAnswer: Cms.PagesAnswer,
  PageAnswer: Cms.PageAnswer,
  TablesAnswer: Cms.TablesAnswer,
  RecordsAnswer: Cms.RecordsAnswer,
  RecordAnswer: Cms.RecordAnswer,
  LogAnswer: Cms.LogAnswer,
  UsageAnswer: Usage.UsageAnswer,
  UsageSum: Usage.UsageSum,
  UsageLine: Usage.UsageLine,
} as const

/** The JSON schema of a component in the description. */
export type JsonSchema = Record<string, unknown>

const schemaReference = (name: string) => `#/components/schemas/${name}`

/** Returns a reference if the schema has a name, else the schema itself. */
export function reference(schema: z.ZodType): JsonSchema {
  const name = Object.entries(named).find(([, known]) => known === schema)?.[0]
  return name ? { $ref: schemaReference(name) } : plainSchema(schema, 'output')
}

/**
 * Returns all named schemas. A later release may add fields to an answer, so the schemas of answers allow unknown
 * fields.
 */
export function components(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io: 'output',
    uri: schemaReference,
    override: tidy('output'),
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]),
  )
}

/** Returns the JSON schema of a route's input, which forbids unknown fields. */
export const input = (schema: z.ZodType): JsonSchema => plainSchema(schema, 'input')

function plainSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, override: tidy(io) })
  return json
}

type Override = NonNullable<z.core.JSONSchemaGeneratorParams['override']>

/** Removes details of zod that no reader needs: the bounds of safe integers, and a `pattern` beside a `format`. */
export function removeDetails(it: z.core.JSONSchema.BaseSchema): void {
  if (it.maximum === Number.MAX_SAFE_INTEGER) delete it.maximum
  if (it.minimum === Number.MIN_SAFE_INTEGER) delete it.minimum
  if (it.format) delete it.pattern
  delete it.propertyNames
}

function tidy(io: 'input' | 'output'): Override {
  return ({ jsonSchema: it }) => {
    removeDetails(it)
    if (io === 'output' && it.additionalProperties === false) delete it.additionalProperties
    // A number in a query is written as digits; a caller needs to know that it is an integer.
    if (it.type === 'string' && /^\^(\[0-9\]|\(0\|)/.test(it.pattern ?? '')) {
      it.type = 'integer'
      it.minimum = 0
      delete it.pattern
    }
  }
}

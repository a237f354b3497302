import type * as z from 'zod'
import type { Write } from '../cms/cms.ts'
import type { PendingCall, Question } from '../conversation/schema.ts'
import { ToolError } from '../error.ts'
import { deceiving } from '../safety/invisible.ts'
import type { CallResult } from '../transcript/result.ts'
import { done, present } from './result.ts'
import type { AskTool, CallTool, Found, Tool, ToolContext, WriteTool } from './tool.ts'
import { find, tools } from './tools.ts'

/**
 * The call of a tool by the model. Whatever goes wrong becomes an error result with a hint how to go on; the full
 * error goes to the log only, and never ends the turn. Whether the tool may be called at all, the gate has decided.
 */

/** What a call needs beside its arguments: the conversation's fence, and where full errors go. */
export type CallOptions = {
  nonce: string
  /** Gets every error that is neither a refusal of a tool nor a mistake in the arguments. */
  log(error: unknown): void
}

/** A tool that reads, run as the context's actor. Rejects with the signal's reason alone, when the turn is over. */
export function run(
  tool: Tool | undefined,
  args: unknown,
  context: ToolContext,
  options: CallOptions,
): Promise<CallResult> {
  return attempt(tool?.name ?? 'unknown', context.signal, options, async () => {
    if (!tool)
      throw new ToolError(`There is no such tool. Tools: ${tools.map(({ name }) => name).join(', ')}.`)
    if (tool.writes) throw new ToolError(`${tool.name} writes: it needs an approval and cannot run at once.`)
    if ('question' in tool) throw new ToolError(`${tool.name} waits for the user and cannot run at once.`)
    return tool.run(argumentsOf(tool, args), context)
  })
}

/** The write that the model means. Throws ToolError, to be answered by `attempt`, when the arguments are not valid. */
export function plan(tool: WriteTool, args: unknown): Write {
  const write = tool.write(argumentsOf(tool, args))
  refuseDeceiving(write)
  return write
}

/** The write with the words of the user. Throws ToolError where these hold what no person sees. */
export function reworded(write: Write, wording: Record<string, string> | undefined): Write {
  if (!wording) return write
  refuseDeceiving(wording)
  return 'fields' in write ? { ...write, fields: { ...write.fields, ...wording } } : write
}

/** The write with values that the settings of the stage add to its fields. */
export function withValues(write: Write, added: Record<string, string> | undefined): Write {
  return added && 'fields' in write ? { ...write, fields: { ...write.fields, ...added } } : write
}

/** The write of a call that waits for a decision. Throws ToolError where its tool is gone or its arguments are not valid. */
export function writeOf({ tool: name, arguments: args, wording, added }: PendingCall): {
  tool: WriteTool
  write: Write
} {
  const tool = find(name)
  if (!tool?.writes || 'call' in tool) throw new ToolError('There is no such tool any more.')
  return { tool, write: withValues(reworded(plan(tool, args), wording), added) }
}

/** The arguments of a call elsewhere, as they are to be approved. Throws ToolError when they are not valid. */
export function planCall(tool: CallTool, args: unknown): Record<string, unknown> {
  const parsed = argumentsOf(tool, args)
  refuseDeceiving(parsed)
  return parsed as Record<string, unknown>
}

/** The question that the model means. Throws ToolError when the arguments are not valid. */
export function planQuestion(tool: AskTool, args: unknown): Question {
  const question = tool.question(argumentsOf(tool, args))
  refuseDeceiving(question)
  return question
}

function refuseDeceiving(value: unknown): void {
  const found = deceiving(JSON.stringify(value))
  if (!found) return
  throw new ToolError(
    `The arguments hold ${found}, which no person sees: the user could not judge what is asked. Leave them out.`,
    { outcome: 'notValid' },
  )
}

/**
 * Does something for the model under the name of a tool: its text as the model may read it, or an error result.
 * Rejects with the signal's reason alone, when the turn is over.
 */
export async function attempt(
  name: string,
  signal: AbortSignal,
  options: CallOptions,
  act: () => Promise<string | Found>,
): Promise<CallResult> {
  try {
    signal.throwIfAborted()
    return done(options.nonce, name, await act())
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return refusal(name, error, options)
  }
}

/** What the model reads of an error: a ToolError in its own words, any other as a fixed sentence. */
export function refusal(name: string, error: unknown, { nonce, log }: CallOptions): CallResult {
  if (error instanceof ToolError) {
    return { text: present(nonce, name, error.message), isError: true, outcome: error.outcome }
  }
  log(error)
  return { text: present(nonce, name, failed), isError: true, outcome: 'failed' }
}

const failed =
  'The tool failed because of a technical problem, which has been logged. Try once more, else go on without it and tell the user.'

function argumentsOf(tool: Tool, args: unknown): unknown {
  const parsed = tool.parameters.safeParse(args)
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map((issue) => `- ${inWords(issue)}`)
  throw new ToolError(
    `The arguments are not valid. Correct them and call ${tool.name} again:\n${lines.join('\n')}`,
    { outcome: 'notValid' },
  )
}

function inWords(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') return `unknown: ${issue.keys.join(', ')}`
  return path ? `${path}: ${issue.message}` : issue.message
}

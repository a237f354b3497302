import type * as z from 'zod'
import { ToolError } from '../base/error.ts'
import { nameDeceiving } from '../base/safety/invisible.ts'
import type { Change } from '../cms/change.ts'
import type { PendingCall, Question } from '../conversation/schema.ts'
import type { CallResult } from '../conversation/transcript/result.ts'
import { done, present } from './result.ts'
import type { AskTool, CallTool, ReadTool, Tool, ToolContext, WriteTool } from './tool.ts'
import { find } from './tools.ts'

/**
 * Runs a tool call of the model. Every failure becomes an error result with a hint for the next step; the full error
 * goes only to the log and never ends the turn. The gate has already checked that the user may call the tool.
 */

/** The options of a call: the nonce of the conversation's fence, and the log for full errors. */
export type CallOptions = {
  nonce: string
  /** Receives every error except a ToolError and the error about invalid arguments. */
  log(error: unknown): void
}

/** Runs a reading tool as the context's actor. Rejects only when the turn is over, with the signal's reason. */
export async function run(
  tool: ReadTool,
  args: unknown,
  context: ToolContext,
  options: CallOptions,
): Promise<CallResult> {
  const { signal } = context
  try {
    signal.throwIfAborted()
    return done(options.nonce, tool.name, await tool.run(argumentsOf(tool, args), context))
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return refusal(tool.name, error, options)
  }
}

/** Returns the change that the arguments of a call describe. Throws ToolError if they are invalid. */
export function planChange(tool: WriteTool, args: unknown): Change {
  const change = tool.write(argumentsOf(tool, args))
  refuseDeceiving(change)
  return change
}

/**
 * Returns the change with the user's words in place of the model's. Throws ToolError if the words contain invisible
 * characters.
 */
export function reworded(change: Change, wording: Record<string, string> | undefined): Change {
  if (wording) refuseDeceiving(wording)
  return withValues(change, wording)
}

/** Returns the change with these values in its fields; the same change if `added` is undefined. */
export function withValues(change: Change, added: Record<string, string> | undefined): Change {
  return added ? { ...change, fields: { ...change.fields, ...added } } : change
}

/**
 * Returns the tool and the change of a pending call. Throws ToolError if the tool no longer exists or the arguments are
 * invalid.
 */
export function changeOf({ tool: name, arguments: args, wording, added }: PendingCall): {
  tool: WriteTool
  change: Change
} {
  const tool = find(name)
  if (!tool?.writes || 'call' in tool) throw new ToolError('There is no such tool any more.')
  return { tool, change: withValues(reworded(planChange(tool, args), wording), added) }
}

/** Returns the arguments of a remote call in the form that the user approves. Throws ToolError if they are invalid. */
export function planCall(tool: CallTool, args: unknown): Record<string, unknown> {
  const parsed = argumentsOf(tool, args)
  refuseDeceiving(parsed)
  return parsed as Record<string, unknown>
}

/** Returns the question that the arguments of a call describe. Throws ToolError if they are invalid. */
export function planQuestion(tool: AskTool, args: unknown): Question {
  const question = tool.question(argumentsOf(tool, args))
  refuseDeceiving(question)
  return question
}

function refuseDeceiving(value: unknown): void {
  const found = nameDeceiving(JSON.stringify(value))
  if (!found) return
  throw new ToolError(
    `The arguments hold ${found}, which no person sees: the user could not judge what is asked. Leave them out.`,
    { outcome: 'notValid' },
  )
}

/** Returns the error result for the model: the message of a ToolError, or a fixed sentence for any other error. */
export function refusal(name: string, error: unknown, { nonce, log }: CallOptions): CallResult {
  if (error instanceof ToolError)
    return { text: present(nonce, name, error.message), isError: true, outcome: error.outcome }
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

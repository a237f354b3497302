import { AsyncLocalStorage } from 'node:async_hooks'
import { Console } from 'node:console'
import { Logger } from '@aws-lambda-powertools/logger'
import { redact } from './safety/redact.ts'

/**
 * The log of the operator: JSON lines with named fields, never the text of a message, never a secret. Lines go to
 * stderr, so that commands can print their result on stdout; Lambda collects both.
 */

type Fields = Record<string, string | number | boolean | undefined>

const ambient = new AsyncLocalStorage<Fields>()
let logger: Logger | undefined

function lines(): Logger {
  if (logger) return logger
  // Powertools has no option for it: its console is a field set in the constructor.
  const console = new Console({ stdout: process.stderr, stderr: process.stderr })
  const made = Object.assign(new Logger({ serviceName: 'backend-ai-chat' }), { console }) as Logger
  logger = made
  return made
}

/** Runs `act` with fields that every line written inside carries: request id, conversation, turn. */
export function within<T>(fields: Fields, act: () => T): T {
  return ambient.run({ ...ambient.getStore(), ...fields }, act)
}

/** A line about what the service did. */
export function info(message: string, fields: Fields = {}): void {
  lines().info(message, { ...ambient.getStore(), ...fields })
}

/** A line about what went unusually and was handled. */
export function warn(message: string, fields: Fields = {}): void {
  lines().warn(message, { ...ambient.getStore(), ...fields })
}

/** Logs an unexpected error with its stack and causes, redacted. They appear nowhere else. */
export function error(message: string, cause: unknown, fields: Fields = {}): void {
  lines().error(message, { ...ambient.getStore(), ...fields, error: describe(cause) })
}

/** What was handled and yet has a cause that an operator looks for: its redacted words and those of its causes. */
export function failure(message: string, cause: unknown, fields: Fields = {}): void {
  lines().warn(message, { ...ambient.getStore(), ...fields, reason: describe(cause) })
}

function describe(cause: unknown): string {
  const parts: string[] = []
  for (let at: unknown = cause, depth = 0; at !== undefined && depth < 5; depth++) {
    parts.push(at instanceof Error ? (at.stack ?? `${at.name}: ${at.message}`) : String(at))
    at = at instanceof Error ? at.cause : undefined
  }
  return redact(parts.join('\ncaused by: '))
}

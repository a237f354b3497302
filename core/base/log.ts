import { AsyncLocalStorage } from 'node:async_hooks'
import { Console } from 'node:console'
import { Logger } from '@aws-lambda-powertools/logger'
import { redact } from './safety/redact.ts'

/**
 * The log for operators: JSON lines with named fields, never the text of a message, never a secret. Lines go to
 * stderr, so that commands can print their result on stdout; Lambda collects both.
 */

type Fields = Record<string, string | number | boolean | undefined>

const ambient = new AsyncLocalStorage<Fields>()
let logger: Logger | undefined

function lines(): Logger {
  if (logger) return logger
  // Powertools has no option for its console: the constructor sets it as a field.
  const console = new Console({ stdout: process.stderr, stderr: process.stderr })
  const made = Object.assign(new Logger({ serviceName: 'backend-ai-chat' }), { console }) as Logger
  logger = made
  return made
}

/** Runs `act`; every log line that it writes has these fields, such as request id, conversation and turn. */
export function within<T>(fields: Fields, act: () => T): T {
  return ambient.run({ ...ambient.getStore(), ...fields }, act)
}

/** Returns the id of the HTTP request that caused the current work; undefined if no request caused it. */
export function requestId(): string | undefined {
  const id = ambient.getStore()?.requestId
  return id === undefined ? undefined : String(id)
}

/** Logs an event of normal work. */
export function info(message: string, fields: Fields = {}): void {
  lines().info(message, { ...ambient.getStore(), ...fields })
}

/** Logs an unusual event that was handled. */
export function warn(message: string, fields: Fields = {}): void {
  lines().warn(message, { ...ambient.getStore(), ...fields })
}

/** Logs an unexpected error with its redacted stack and causes. Only the log shows them. */
export function error(message: string, cause: unknown, fields: Fields = {}): void {
  lines().error(message, { ...ambient.getStore(), ...fields, error: describeError(cause) })
}

/** Logs a handled failure whose cause an operator needs, with the redacted messages of the error and its causes. */
export function failure(message: string, cause: unknown, fields: Fields = {}): void {
  lines().warn(message, { ...ambient.getStore(), ...fields, reason: describeError(cause) })
}

function describeError(cause: unknown): string {
  const parts: string[] = []
  for (let at: unknown = cause, depth = 0; at !== undefined && depth < 5; depth++) {
    parts.push(at instanceof Error ? (at.stack ?? `${at.name}: ${at.message}`) : String(at))
    at = at instanceof Error ? at.cause : undefined
  }
  return redact(parts.join('\ncaused by: '))
}

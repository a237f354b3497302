import { APIError } from 'payload'
import { ToolError } from '../../../core/base/error.ts'

/** Runs it; what Payload refuses the user becomes a sentence that the model reads. */
export async function refusing<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw error instanceof APIError && error.status < 500 ? new ToolError(sentence(error)) : error
  }
}

/** Payload's message, with each field that it refuses. */
function sentence({ message, data }: APIError): string {
  const errors = (data as { errors?: { path?: string; message?: string }[] } | null)?.errors ?? []
  const told = errors.map(({ path, message }) => `${path}: ${message}`)
  return ['Payload refused it.', message, ...told].join(' ')
}

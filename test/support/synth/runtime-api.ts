import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Lambda's Runtime API for one function: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html */
export type RuntimeApi = {
  /** Host and port, as a function finds them in `AWS_LAMBDA_RUNTIME_API`. */
  address: string
  /** Settles when the function has loaded and asks for its first event. Rejects when it says that it cannot load. */
  started: Promise<void>
  /** Gives the function an event, and returns its answer. Rejects with the error that the function answers. */
  invoke(event: unknown, timeoutMs: number): Promise<unknown>
  /** Ends the server; rejects all that is still waited for, with this reason. */
  close(reason: Error): void
}

type Settle = { resolve(answer: unknown): void; reject(error: Error): void }
type Invocation = Settle & { id: string; event: unknown; deadline: number }

const base = '/2018-06-01/runtime'

/** Starts the API that a runtime asks for events and posts its answers to. */
export async function startRuntimeApi(): Promise<RuntimeApi> {
  const waiting: Invocation[] = []
  const running = new Map<string, Settle>()
  const started = Promise.withResolvers<void>()
  let asking: ServerResponse | undefined

  const next = (response: ServerResponse) => {
    asking = response
    started.resolve()
    hand()
  }

  /** Like Lambda, hands over an event when the answer to the one before is here. */
  function hand(): void {
    if (!asking || running.size > 0) return
    const invocation = waiting.shift()
    if (!invocation) return
    const { id, event, deadline } = invocation
    running.set(id, invocation)
    const headers = {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': id,
      'lambda-runtime-deadline-ms': String(deadline),
      'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:us-east-1:123456789012:function:test',
      'lambda-runtime-trace-id': 'Root=1-00000000-000000000000000000000000;Sampled=0',
    }
    asking.writeHead(200, headers).end(JSON.stringify(event))
    asking = undefined
  }

  async function post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(request))
    response.writeHead(202).end('{"status":"OK"}')
    const [id = '', verb] = (request.url ?? '').slice(`${base}/invocation/`.length).split('/')
    if (request.url === `${base}/init/error`) return started.reject(failure(body))
    const invocation = running.get(id)
    running.delete(id)
    if (verb === 'response') invocation?.resolve(body)
    else invocation?.reject(failure(body))
    hand()
  }

  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === `${base}/invocation/next`) return next(response)
    post(request, response).catch((error) => response.destroy(error))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))

  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    started: started.promise,
    invoke: (event, timeoutMs) =>
      new Promise((resolve, reject) => {
        waiting.push({ id: randomUUID(), event, deadline: Date.now() + timeoutMs, resolve, reject })
        hand()
      }),
    close: (reason) => {
      for (const { reject } of [started, ...waiting.splice(0), ...running.values()]) reject(reason)
      server.close()
      server.closeAllConnections()
    },
  }
}

function failure({
  errorType,
  errorMessage,
  trace,
}: Record<'errorType' | 'errorMessage', string> & { trace?: string[] }) {
  return new Error(`${errorType}: ${errorMessage}\n${trace?.join('\n') ?? ''}`)
}

import * as Mcp from '@modelcontextprotocol/server'
import * as Log from '../../base/log.ts'
import type { At, Said } from './call.ts'
import * as Offers from './offers.ts'
import type { Program } from './program.ts'

/**
 * Serves the chat's tools over the Model Context Protocol, in every version that the SDK supports. There are no
 * sessions and no streams: a new server answers each request with JSON.
 */
export async function serve(program: Program, request: Request, message: unknown, at: At): Promise<Response> {
  const failures: unknown[] = []
  const response = await respond(request, message, () => serverOf(program, at, failures))
  // Reads the whole answer first, because a handler may still run when the SDK returns the response.
  const text = await response.text()
  if (failures.length > 0) throw failures[0]
  return new Response(text || null, response)
}

async function respond(request: Request, message: unknown, make: () => Mcp.Server): Promise<Response> {
  if (!(await Mcp.isLegacyRequest(request, message))) {
    const handler = Mcp.createMcpHandler(make, {
      legacy: 'reject',
      // A stream of notifications would keep the function running until its timeout.
      maxSubscriptions: 0,
      // The reason repeats words of the program, which do not belong into the log.
      onerror: () => Log.warn('A request over MCP was refused'),
    })
    return handler.fetch(request, { parsedBody: message })
  }
  const transport = new Mcp.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const server = make()
  await server.connect(transport)
  try {
    const response = await transport.handleRequest(request, { parsedBody: message })
    return new Response(await response.text(), response)
  } finally {
    await server.close()
  }
}

function serverOf(program: Program, at: At, failures: unknown[]): Mcp.Server {
  // Keeps a failure for `serve` to throw: the SDK would show its words to the program, and log nothing.
  const keep = <Result>(work: Promise<Result>) =>
    work.catch((error: unknown) => {
      failures.push(error)
      throw error
    })
  const { serverInfo, capabilities, instructionsOf } = Offers
  const server = new Mcp.Server(serverInfo, { capabilities, instructions: instructionsOf(program) })
  server.setRequestHandler('tools/list', () => Offers.toolList(program))
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }) => {
    const { text, isError, images = [] } = await keep(called(program, { name, args }, at))
    const pictures = images.map(({ mimeType, base64 }) => ({
      type: 'image' as const,
      data: base64,
      mimeType,
    }))
    return { content: [{ type: 'text' as const, text }, ...pictures], isError }
  })
  server.setRequestHandler('prompts/list', () => keep(Offers.promptList(program)))
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: values = {} } }) => {
    const prompt = await keep(Offers.promptOf(program, name, values))
    if (!prompt) throw new Mcp.ProtocolError(Mcp.ProtocolErrorCode.InvalidParams, 'There is no such prompt.')
    return prompt
  })
  server.setRequestHandler('resources/list', () => keep(Offers.resourceList(program)))
  server.setRequestHandler('resources/templates/list', () => Offers.templateList)
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const reading = Offers.readingOf(program, uri)
    const { text, isError } = reading ? await keep(called(program, reading, at)) : missing
    if (isError) throw new Mcp.ProtocolError(Mcp.ProtocolErrorCode.InvalidParams, text)
    return { contents: [{ uri, mimeType: 'text/plain', text }], ttlMs: 0, cacheScope: 'private' as const }
  })
  return server
}

const missing: Said = { text: 'There is no such resource.', isError: true }

/** Runs a tool. The first call loads the code, because a program first asks for lists, which do not need it. */
async function called(...given: Parameters<typeof import('./call.ts').call>): Promise<Said> {
  const { call } = await import('./call.ts')
  return call(...given)
}

/**
 * A server that answers each request at once with the store's recorded answer to that operation. It shows the cost of a
 * client without the cost of its store. The parent process sends the answers by operation, then gets the port.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

let answers = new Map<string, string[]>()

const server = createServer((request, response) => {
  const [, operation = ''] = String(request.headers['x-amz-target']).split('.')
  request.resume().once('end', () => {
    const known = answers.get(operation) ?? []
    const body = known.shift() ?? '{}'
    known.push(body)
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(body)
  })
})
process.once('message', (recorded: [string, string[]][]) => {
  answers = new Map(recorded)
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
})
process.once('disconnect', () => process.exit(0))

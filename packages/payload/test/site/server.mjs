/** Payload behind node:http, without its admin panel: what REST and the bridge need. Says where it is, then waits. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { getPayload, handleEndpoints } from 'payload'
import configOf from './config.mjs'

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const answer = await handleEndpoints({
    config,
    request: new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method,
      headers: request.headers,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    }),
  })
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.end(Buffer.from(await answer.arrayBuffer()))
})
await once(server.listen(0, '127.0.0.1'), 'listening')

// The plugin wants to know the address of its site.
const origin = `http://127.0.0.1:${server.address().port}`
const options = JSON.parse(process.argv[2])
const config = configOf({ ...options, url: origin })
const payload = await getPayload({ config })
const refusal = await configOf({ ...options, url: undefined }).then(String, ({ message }) => message)

const users = {}
for (const role of ['admin', 'editor', 'author', 'guest']) {
  const email = `${role}@example.com`
  const data = { email, password: 'demo', name: role[0].toUpperCase() + role.slice(1), roles: [role] }
  users[role] = (await payload.create({ collection: options.login, data })).id
}
for (let more = 0; more < (options.moreUsers ?? 0); more++)
  await payload.db.create({ collection: options.login, data: { email: `user${more}@example.com` } })
process.stdout.write(`${JSON.stringify({ ready: { origin, users, refusal } })}\n`)
// The site ends with the test that started it.
process.stdin.on('end', () => process.exit()).resume()

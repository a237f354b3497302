import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { expect, onTestFinished, test } from 'vitest'
import { lighten, Sha256 } from '../../../../core/base/aws/transport.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const hex = (digest: Uint8Array) => Buffer.from(digest).toString('hex')

test('the hash is SHA-256, and with a key HMAC-SHA-256, as the vectors of FIPS 180 and RFC 4231 say', async () => {
  const plain = new Sha256()
  plain.update(bytes('a'))
  plain.update(bytes('bc'))
  const key = bytes('Jefe')
  const keyed = [new Sha256('Jefe'), new Sha256(key), new Sha256(key)]
  for (const one of keyed) one.update(bytes('what do ya want for nothing?'))

  expect(hex(await plain.digest())).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  for (const one of keyed)
    expect(hex(await one.digest())).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843')
})

const hmac = (key: string | Buffer, words: string) => createHmac('sha256', key).update(words).digest()

/** The signature of a request by the specification of AWS, version 4. */
function signatureOf(headers: IncomingHttpHeaders, body: string): string {
  const [, scope = '', signed = ''] =
    /Credential=key\/(\S+), SignedHeaders=(\S+),/.exec(String(headers.authorization)) ?? []
  const digest = (words: string) => createHash('sha256').update(words).digest('hex')
  const listed = signed.split(';').map((name) => `${name}:${headers[name]}\n`)
  const canonical = ['POST', '/', '', listed.join(''), signed, digest(body)].join('\n')
  const said = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, digest(canonical)].join('\n')
  const key = scope.split('/').reduce<string | Buffer>(hmac, 'AWS4secret')
  return hmac(key as Buffer, said).toString('hex')
}

test('a lightened client signs as AWS says, names itself, and asks once when it is refused', async () => {
  const asked: { headers: IncomingHttpHeaders; body: string }[] = []
  const server = createServer(async (request, response) => {
    asked.push({ headers: request.headers, body: await text(request) })
    response
      .writeHead(asked.length < 3 ? 200 : 500, { 'content-type': 'application/x-amz-json-1.0' })
      .end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const client = new DynamoDBClient({
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    sha256: Sha256,
  })
  lighten(client)
  const ask = () => client.send(new GetItemCommand({ TableName: 'chat', Key: { pk: { S: 'ü' } } }))

  await ask()
  await ask()
  await expect(ask()).rejects.toMatchObject({ $metadata: { httpStatusCode: 500 } })
  expect(asked).toHaveLength(3)
  for (const { headers, body } of asked) {
    expect(headers['user-agent']).toBe('backend-ai-chat')
    expect(headers.authorization).toMatch(new RegExp(`Signature=${signatureOf(headers, body)}$`))
  }
  client.destroy()
})

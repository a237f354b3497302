import { createServer } from 'node:net'

/** Returns a port of this machine that was free a moment ago; the wanted port if it is free. */
export async function freePort(host: 'localhost' | '127.0.0.1', wanted = 0): Promise<number> {
  const server = createServer()
  const isFree = await new Promise<boolean>((done) => {
    server.once('error', () => done(false)).listen(wanted, host, () => done(true))
  })
  if (!isFree) return freePort(host)
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return port
}

import { startFauxqs } from 'fauxqs'

/** SQS and S3 on loopback, in this process. */
export type QueueAndStore = { endpoint: string; stop(): Promise<void> }

/** Starts the emulator of SQS and S3; with a folder its content survives a restart, else it is in memory. */
export async function startQueueAndStore(folder?: string): Promise<QueueAndStore> {
  const server = await startFauxqs({
    port: 0,
    logger: false,
    host: '127.0.0.1',
    ...(folder && { dataDir: `${folder}/sqs`, s3StorageDir: `${folder}/s3` }),
  })
  return { endpoint: `http://127.0.0.1:${server.port}`, stop: () => server.stop() }
}

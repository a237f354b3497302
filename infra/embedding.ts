/**
 * What pages of the origins in `embedOrigins` may do with the API, the same in API Gateway and in the local gateway:
 * call it with Bearer, never with cookies, and read what clients need of the answer.
 */
export const embedding = {
  methods: ['GET' as const, 'POST' as const],
  headers: ['authorization', 'content-type', 'x-csrf-token', 'idempotency-key'],
  exposed: ['retry-after', 'x-request-id', 'date'],
  maxAgeSeconds: 600,
}

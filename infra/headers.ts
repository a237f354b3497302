/** The facts about a stage that its Content-Security-Policy depends on. */
type PolicyOptions = {
  /** Origin of the stage's file store, if it is another origin. */
  bucket?: string
  /** Origins whose pages may show the stage's pages in a frame. Default: no origin. */
  frameAncestors?: string[]
}

/** Returns the Content-Security-Policy of every page: scripts, styles and connections only from the stage. */
export function contentSecurityPolicy({ bucket, frameAncestors = [] }: PolicyOptions = {}): string {
  const own = ["'self'", bucket].filter(Boolean).join(' ')
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': `${own} data: blob:`,
    'font-src': "'self'",
    'connect-src': own,
    'manifest-src': "'self'",
    'form-action': "'self'",
    'base-uri': "'none'",
    'frame-ancestors': frameAncestors.length > 0 ? frameAncestors.join(' ') : "'none'",
  }
  return Object.entries(policy)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}

/** Time for which browsers use only HTTPS, in seconds: two years. */
export const strictTransportSeconds = 63_072_000

/** Headers for which CloudFront has no option of its own. */
export const otherHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

/** The security headers of every page and asset in the local gateway; the router has options for those of CloudFront. */
export const localHeaders: Record<string, string> = {
  'content-security-policy': contentSecurityPolicy(),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  ...otherHeaders,
}

/**
 * The CORS rules for pages of the origins in `embedOrigins`, in API Gateway and in the local gateway. A page of these
 * origins may call the API with a Bearer token, never with cookies. It may read the headers that clients need.
 */
export const embedding = {
  methods: ['GET' as const, 'POST' as const],
  headers: ['authorization', 'content-type', 'x-csrf-token', 'idempotency-key'],
  exposed: ['retry-after', 'x-request-id', 'date'],
  maxAgeSeconds: 600,
}

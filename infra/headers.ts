/**
 * The security headers of every page and asset, the same from the local gateway and from CloudFront. Scripts, styles
 * and connections are those of the stage; `bucket` is the origin of its file store where that is another one.
 */
export function securityHeaders(options: { bucket?: string; isHttps: boolean }): Record<string, string> {
  const own = ["'self'", options.bucket].filter(Boolean).join(' ')
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
    'frame-ancestors': "'none'",
  }
  return {
    'content-security-policy': Object.entries(policy)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    ...(options.isHttps && { 'strict-transport-security': 'max-age=63072000; includeSubDomains' }),
  }
}

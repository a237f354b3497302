import { bucket } from './bucket.ts'
import { contentSecurityPolicy, otherHeaders, strictTransportSeconds } from './headers.ts'
import { routerSecret } from './secret.ts'
import { deployment } from './stage.ts'
import { requestCode, responseCode } from './viewer-request.ts'

const store = $interpolate`https://${bucket.nodes.bucket.bucketRegionalDomainName}`
const { frameAncestors } = deployment

/** The headers of every response, also of the functions' responses and of errors. */
const headers = new aws.cloudfront.ResponseHeadersPolicy('Headers', {
  comment: `Security headers of ${$app.name} ${$app.stage}`,
  securityHeadersConfig: {
    contentSecurityPolicy: {
      contentSecurityPolicy: store.apply((origin) =>
        contentSecurityPolicy({ bucket: origin, frameAncestors }),
      ),
      // A page of a function has its own, stricter policy.
      override: false,
    },
    contentTypeOptions: { override: true },
    referrerPolicy: { referrerPolicy: 'same-origin', override: true },
    strictTransportSecurity: {
      accessControlMaxAgeSec: strictTransportSeconds,
      includeSubdomains: true,
      override: true,
    },
  },
  customHeadersConfig: {
    items: Object.entries(otherHeaders).map(([header, value]) => ({ header, value, override: true })),
  },
})

/**
 * By default, CloudFront caches these errors for ten seconds, even with `no-store`: all users would get the error of
 * one user. A time of 0 prevents this.
 */
const uncachedErrors = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504].map((errorCode) => ({
  errorCode,
  errorCachingMinTtl: 0,
}))

/** The only address of the stage: pages and functions have the same origin. */
export const router = new sst.aws.Router('Router', {
  ...(deployment.domain && { domain: deployment.domain }),
  edge: {
    viewerRequest: {
      injection: routerSecret.apply((secret) => requestCode({ secret, hasPages: !deployment.cms })),
    },
    viewerResponse: { injection: responseCode },
  },
  transform: {
    cdn: (args) => {
      const { webAclArn } = deployment
      if (webAclArn) args.transform = { distribution: { webAclId: webAclArn } }
      args.customErrorResponses = uncachedErrors
      args.defaultCacheBehavior = $resolve(args.defaultCacheBehavior).apply((behavior) => ({
        ...behavior,
        responseHeadersPolicyId: headers.id,
      }))
    },
  },
})

/** The origin that browsers use, without a slash at the end. */
export const origin = router.url.apply((url) => url.replace(/\/$/, ''))

import { routerHeader, viewerHeader } from '../functions/http/routes.ts'

/**
 * Code of a CloudFront Function (runtime 2.0). It decides for each request if the site or a function answers. It runs
 * before the code that SST generates for the Router. The local gateway makes the same decisions:
 * `infra/local/pages.ts`.
 */

/** Prefix of an address that the Router sends to the functions; it is removed before a function gets the address. */
export const apiPrefix = '/api'

type Request = {
  /** The header value that proves to the functions that a request came through the Router. */
  secret: string
  /** True: the stage shows the reference backend. False: it only serves `chat.js` to other backends. */
  hasPages: boolean
}

/**
 * Returns the code for requests. The code sends a request for a page or its files to the site. It sends any other
 * request to the functions, with the viewer's IP address. It redirects `/` to the backend.
 */
export function requestCode({ secret, hasPages }: Request): string {
  const isPage = hasPages
    ? `path === '/backend' || path === '/backend/' || (path.startsWith('/backend/') && accept.includes('text/html'))`
    : 'false'
  const home = `{ statusCode: 302, statusDescription: 'Found', headers: { location: { value: '/backend' } } }`
  return `
  const path = event.request.uri;
  const accept = (event.request.headers.accept || { value: '' }).value;
  const isRead = event.request.method === 'GET' || event.request.method === 'HEAD';
  ${hasPages ? `if (isRead && path === '/') return ${home};` : ''}
  const isFile = /^\\/backend\\/(?:(?:chat|embed)\\.js|(?:openapi|project-manifest)\\.json|assets\\/.*)$/.test(path);
  event.request.headers['${routerHeader}'] = { value: '${secret}' };
  event.request.headers['${viewerHeader}'] = { value: event.viewer.ip };
  if (!isRead || !(isFile || ${isPage})) event.request.uri = '${apiPrefix}' + path;`
}

/**
 * Lets pages of other sites load scripts, styles and icons: without these headers, browsers refuse a module script from
 * another site.
 */
export const responseCode = `
  if (/\\.(js|css|svg|png|woff2|json|map)$/.test(event.request.uri)) {
    event.response.headers['access-control-allow-origin'] = { value: '*' };
    event.response.headers['cross-origin-resource-policy'] = { value: 'cross-origin' };
  }`

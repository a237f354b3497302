import { routerHeader, viewerHeader } from '../functions/http/routes.ts'

/**
 * The decisions of the Router for each request, as code of a CloudFront Function (runtime 2.0), put in front of the
 * Router's own. The same decisions as those of the local gateway: `infra/local/pages.ts`.
 */

/** Prefix of an address that the Router sends to the functions; it is taken off again on the way. */
export const apiPrefix = '/api'

type Request = {
  /** The header value that proves to the functions that a request came through the Router. */
  secret: string
  /** True: the stage shows the reference backend. False: it only serves `chat.js` to other backends. */
  hasPages: boolean
}

/**
 * Sends requests for pages and their files to the site and all others to the functions, adds the address of the viewer
 * for these, and redirects a request for `/` to the backend.
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
  const isFile = path === '/backend/chat.js' || path === '/backend/embed.js' || path.startsWith('/backend/assets/');
  event.request.headers['${routerHeader}'] = { value: '${secret}' };
  event.request.headers['${viewerHeader}'] = { value: event.viewer.ip };
  if (!isRead || !(isFile || ${isPage})) event.request.uri = '${apiPrefix}' + path;`
}

/** Scripts, styles and icons may be used by pages of other sites: a module script is only loaded with this. */
export const responseCode = `
  if (/\\.(js|css|svg|png|woff2|json|map)$/.test(event.request.uri)) {
    event.response.headers['access-control-allow-origin'] = { value: '*' };
    event.response.headers['cross-origin-resource-policy'] = { value: 'cross-origin' };
  }`

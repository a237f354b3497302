import { routerHeader, viewerHeader } from '../functions/http/routes.ts'

/**
 * The decisions of the Router for each request, as code of a CloudFront Function (runtime 2.0) that runs before the
 * Router's own code. The local gateway makes the same decisions: `infra/local/pages.ts`.
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
 * Returns the code for requests. It sends requests for pages and their files to the site, and all others to the
 * functions with the address of the viewer. It redirects a request for `/` to the backend.
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

/**
 * Lets pages of other sites use scripts, styles and icons: browsers load a module script of another site only with this
 * header.
 */
export const responseCode = `
  if (/\\.(js|css|svg|png|woff2|json|map)$/.test(event.request.uri)) {
    event.response.headers['access-control-allow-origin'] = { value: '*' };
    event.response.headers['cross-origin-resource-policy'] = { value: 'cross-origin' };
  }`

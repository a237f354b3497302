/**
 * The list of all routes, each with its function and the callers that may use it. Functions, local gateway, deployed
 * routes, API description and the tests of access all read this one list.
 */

export type FunctionName =
  | 'upload'
  | 'send'
  | 'status'
  | 'poll'
  | 'conversations'
  | 'connections'
  | 'mcp'
  | 'backend'

/**
 * The callers of a route. `public`: everybody, without a login; `session`: any backend user; `chat`: users who may use
 * the chat; `administrator`: only administrators; `token`: programs with an access token of a user who may use the
 * chat, or the session of a connected CMS; `client`: programs that have no token yet, by the rules of OAuth.
 */
export type Access = 'public' | 'session' | 'chat' | 'administrator' | 'token' | 'client'

export type Route = {
  method: 'GET' | 'POST'
  path: string
  function: FunctionName
  access: Access
}

const route = (method: Route['method'], path: string, name: FunctionName, access: Access): Route => ({
  method,
  path,
  function: name,
  access,
})
const chat = (method: Route['method'], path: string, name: FunctionName): Route =>
  route(method, `/ai-chat${path}`, name, 'chat')
/** A route with the path of what it does with a conversation. */
const conversation = (method: Route['method'], act: string, name: FunctionName = 'conversations'): Route =>
  chat(method, `/conversations/${act}`, name)
const backend = (method: Route['method'], path: string, access: Access): Route =>
  route(method, `/backend${path}`, 'backend', access)
const oauth = (method: Route['method'], path: string, access: Access): Route =>
  route(method, path, 'connections', access)

/** The address of the tools for programs. */
export const mcpPath = '/ai-chat/mcp'
/** The address of the metadata for programs that want access to the tools (RFC 9728). */
export const mcpMetadataPath = `/.well-known/oauth-protected-resource${mcpPath}`

/** Every route of the service. */
export const routes: Route[] = [
  chat('GET', '/status', 'status'),
  conversation('GET', 'messages', 'poll'),
  conversation('POST', 'send', 'send'),
  conversation('POST', 'next', 'send'),
  conversation('POST', 'edit', 'send'),
  conversation('POST', 'retry', 'send'),
  conversation('POST', 'approve', 'send'),
  conversation('POST', 'answer', 'send'),
  conversation('POST', 'amend', 'send'),
  conversation('POST', 'cancel', 'send'),
  chat('GET', '/conversations', 'conversations'),
  chat('GET', '/mentions', 'conversations'),
  chat('GET', '/prompts', 'conversations'),
  chat('POST', '/prompts/save', 'conversations'),
  chat('POST', '/prompts/delete', 'conversations'),
  chat('GET', '/usage', 'conversations'),
  chat('GET', '/usage/export', 'conversations'),
  chat('GET', '/instructions', 'conversations'),
  chat('POST', '/instructions', 'conversations'),
  conversation('POST', 'create'),
  conversation('POST', 'system-prompt'),
  conversation('POST', 'rename'),
  conversation('POST', 'version'),
  conversation('POST', 'pin'),
  conversation('POST', 'archive'),
  conversation('POST', 'delete'),
  conversation('POST', 'undo'),
  conversation('GET', 'feedback'),
  conversation('POST', 'feedback'),
  conversation('GET', 'export'),
  chat('GET', '/connections', 'connections'),
  chat('POST', '/connections/begin', 'connections'),
  { ...chat('GET', '/connections/callback', 'connections'), access: 'public' },
  chat('POST', '/connections/token', 'connections'),
  chat('POST', '/connections/disconnect', 'connections'),
  chat('GET', '/access-tokens', 'connections'),
  chat('POST', '/access-tokens/create', 'connections'),
  chat('POST', '/access-tokens/revoke', 'connections'),
  oauth('GET', '/.well-known/oauth-protected-resource', 'public'),
  oauth('GET', mcpMetadataPath, 'public'),
  oauth('GET', '/.well-known/oauth-authorization-server', 'public'),
  oauth('GET', '/ai-chat/oauth/authorize', 'public'),
  oauth('POST', '/ai-chat/oauth/authorize', 'public'),
  chat('POST', '/oauth/ticket', 'connections'),
  oauth('GET', '/ai-chat/oauth/enter', 'public'),
  oauth('POST', '/ai-chat/oauth/token', 'client'),
  oauth('POST', '/ai-chat/oauth/register', 'client'),
  oauth('POST', '/ai-chat/oauth/revoke', 'client'),
  { ...chat('POST', '/mcp', 'mcp'), access: 'token' },
  chat('POST', '/file-upload', 'upload'),
  chat('POST', '/file-upload/complete', 'upload'),
  chat('GET', '/file-info', 'upload'),
  chat('GET', '/picture', 'upload'),
  backend('POST', '/login', 'public'),
  backend('GET', '/demo-users', 'public'),
  backend('POST', '/exchange', 'public'),
  backend('POST', '/exchange/end', 'public'),
  backend('GET', '/session', 'session'),
  backend('POST', '/logout', 'session'),
  backend('GET', '/pages', 'session'),
  backend('GET', '/pages/{uid}', 'session'),
  backend('GET', '/records', 'session'),
  backend('GET', '/records/{table}', 'session'),
  backend('POST', '/records/{table}', 'session'),
  backend('GET', '/records/{table}/{uid}', 'session'),
  backend('POST', '/records/{table}/{uid}', 'session'),
  backend('GET', '/log', 'session'),
  backend('GET', '/usage', 'administrator'),
  backend('GET', '/usage/export', 'administrator'),
]

/** The header with the secret that proves a request came through the Router. */
export const routerHeader = 'x-ai-chat-router'
/** The header in which the Router sends the client's IP address, as CloudFront knows it. */
export const viewerHeader = 'x-ai-chat-viewer'

import { routes as connections, programRoutes } from '../../functions/connections.ts'
import { routes as conversations } from '../../functions/conversations.ts'
import type { Definition } from '../../functions/http/route.ts'
import { routes as mcp } from '../../functions/mcp.ts'
import { routes as poll } from '../../functions/poll.ts'
import { routes as send } from '../../functions/send.ts'
import { routes as status } from '../../functions/status.ts'
import { routes as upload } from '../../functions/upload.ts'

/** How each route of the chat is answered. */
export const chatRoutes: Record<string, Definition> = {
  ...programRoutes,
  ...connections,
  ...conversations,
  ...mcp,
  ...poll,
  ...send,
  ...status,
  ...upload,
}

import { expect } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import { key } from '../../../core/conversation/item.ts'
import type { CreatedTokenAnswer, TokensAnswer } from '../../../core/user/access-token/schema.ts'
import type { Service } from '../../security/service.ts'
import { program } from '../program.ts'

/** A user makes an access token, a program reads and proposes with it, and the user revokes it. */
export async function usePrograms({ bench }: Service): Promise<void> {
  const editor = await bench.login('editor')
  const { body } = await editor.ask<CreatedTokenAnswer>('/ai-chat/access-tokens/create', {
    body: { name: 'Laptop' },
  })
  const client = await program(bench.handler, body.token)
  const asks = async (name: string, args: Record<string, unknown>) =>
    expect((await client.callTool({ name, arguments: args })).isError).toBe(false)
  await client.listResources()
  await asks('get_page_tree', {})
  await asks('list_files', {})
  await asks('list_files', { folder: 'fileadmin/public' })
  // This stage has no pictures in its store: the function asks for one all the same.
  await client.callTool({ name: 'view_image', arguments: { table: 'media', uid: 2 } })
  // Turns whose rows are gone hold the places of their user until the next one begins.
  for (let at = 0; at < 3; at++) {
    const { conversation } = await editor.send('Hello')
    await Table.remove(key(conversation.id))
  }
  await asks('update_record', { table: 'news', uid: 2, fields: { title: 'A title of a program' } })
  await bench.settle()
  const [token] = (await editor.get<TokensAnswer>('/access-tokens')).body.tokens
  await editor.ask('/ai-chat/access-tokens/revoke', { body: { id: token?.id } })
}

import * as Request from '../../core/chat/request.ts'
import { InstructionsAnswer, OwnInstructionsBody, OwnInstructionsQuery } from '../../core/user/schema.ts'
import { route } from '../http/route.ts'

const id = '01kag8zq4c9w3v5n7x1r2s6t8y'
const bothTexts = { 200: { description: 'Both texts; empty: none.', schema: InstructionsAnswer } }
const own = { 200: { description: "The user's own prompts, by title.", schema: Request.OwnPromptsAnswer } }

/** Imports the module on demand, because few requests are about prompts. */
const prompts = () => import('../../core/user/saved-prompt.ts')

/** Imports the module on demand, because few requests are about the instructions of a user. */
const instructions = () => import('../../core/user/own-instructions.ts')

/** Routes for the contents of messages: mentions of the site's records, and prompts. */
export const composing = {
  'GET /ai-chat/mentions': route({
    input: Request.MentionsQuery,
    summary: 'Pages, records, files and users that a message can name, as the user may see them.',
    description:
      'Without `query`: the parts of `page` and the top pages; with `kind`, `table` and `uid`: that one. Users are for administrators, where the CMS lists them.',
    answers: { 200: { description: 'The best matches, at most 20.', schema: Request.MentionsAnswer } },
    example: { query: 'lamp' },
    isPoll: true,
    run: async ({ actor, live }, input) => {
      const { mentions } = await import('../../core/chat/mentions.ts')
      return { body: await mentions(live.cms, actor, input) }
    },
  }),
  'GET /ai-chat/prompts': route({
    input: Request.PromptsQuery,
    summary: 'The prompts of the stage for this user and module, and the user’s own.',
    description: '`{word}` in a text is a variable, which the interface asks for.',
    answers: { 200: { description: 'The prompts.', schema: Request.PromptsAnswer } },
    example: { module: 'page' },
    isPoll: true,
    run: async ({ actor, settings }, { module }) => {
      const { own, shared } = await prompts()
      return { body: { shared: shared(actor, settings, module), own: await own(actor) } }
    },
  }),
  'POST /ai-chat/prompts/save': route({
    input: Request.SavePromptBody,
    summary: 'Keeps a prompt of the user, in place of the one with its `id`.',
    answers: own,
    errors: ['prompt.notFound', 'prompt.tooMany'],
    example: { title: 'Teaser', text: 'Write a teaser of two sentences about {topic}.' },
    run: async ({ actor, now }, input) => ({
      body: { own: await (await prompts()).save(actor, input, now) },
    }),
  }),
  'POST /ai-chat/prompts/delete': route({
    input: Request.DeletePromptBody,
    summary: 'Forgets a prompt of the user.',
    answers: own,
    example: { id },
    run: async ({ actor }, input) => ({ body: { own: await (await prompts()).remove(actor, input.id) } }),
  }),
  'GET /ai-chat/instructions': route({
    input: OwnInstructionsQuery,
    summary: 'The user’s instructions for all their conversations, and the house style of the stage.',
    answers: bothTexts,
    run: async ({ actor, settings: { houseStyle } }) => ({
      body: { text: await (await instructions()).read(actor), houseStyle },
    }),
  }),
  'POST /ai-chat/instructions': route({
    input: OwnInstructionsBody,
    summary: 'Keeps the user’s instructions for all their conversations; an empty text removes them.',
    description: 'They apply from the next turn on; those of the conversation come after them.',
    answers: bothTexts,
    example: { text: 'I write for retailers. Call me Kim.' },
    run: async ({ actor, settings: { houseStyle } }, { text }) => ({
      body: { text: await (await instructions()).write(actor, text), houseStyle },
    }),
  }),
}

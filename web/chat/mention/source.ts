import type { Key } from '../../../core/base/languages/sentence.ts'
import type { MentionsAnswer, PromptsAnswer } from '../../../core/chat/request.ts'
import type { Mention } from '../../../core/conversation/schema.ts'
import { insert } from '../prompts/insert.ts'
import type { Choice, Picker, View } from '../view/view.ts'
import { choose, signOf, wordOf } from './chips.ts'

/** The labels of a list, and the function that finds its entries. */
export type Source = {
  label: Key
  found: Key
  none: Key
  empty: Key
  failed: Key
  look(view: View, open: Picker, signal: AbortSignal): Promise<Choice[]>
}

const site = (kind?: 'file') => ({
  found: 'mention.found' as const,
  none: 'mention.none' as const,
  empty: 'mention.type' as const,
  failed: 'mention.failed' as const,
  look: async (view: View, { query }: Picker, signal: AbortSignal): Promise<Choice[]> => {
    const { store, context } = view
    const asked = {
      query: [...query.trim()].slice(0, 100).join(''),
      ...(kind && { kind }),
      ...(context && context.pageId !== 0 && !context.table && { page: context.pageId }),
    }
    const answer = await store.api.get<MentionsAnswer>('/mentions', asked, signal)
    return answer.mentions.map((it) => choiceOf(view, it))
  },
})

const choiceOf = (view: View, it: Mention): Choice => ({
  sign: signOf(it),
  title: it.title,
  note: `${wordOf(view, it)} [${it.uid}]`,
  ...(it.kind === 'file' && { picture: it }),
  take: () => choose(view, it),
})

/** Returns the prompts whose title or text contains the query. Loads all prompts only once, because there are few. */
async function lookForPrompts(view: View, open: Picker, signal: AbortSignal): Promise<Choice[]> {
  const { store, context, t } = view
  open.prompts ??= await store.api.get<PromptsAnswer>('/prompts', { module: context?.module }, signal)
  const { own, shared } = open.prompts
  const all = [
    ...own.map((prompt) => ({ ...prompt, note: t('prompts.own'), sign: 'user' as const })),
    ...shared.map((prompt) => ({ ...prompt, note: t('prompts.shared'), sign: 'list' as const })),
  ]
  const words = open.query.trim().toLowerCase()
  return all
    .filter(({ title, text }) => `${title}\n${text}`.toLowerCase().includes(words))
    .map(({ title, text, note, sign }) => ({
      sign,
      title,
      note,
      take: (view, at) => insert(view, { title, text }, at),
    }))
}

/** The sources of the lists that open from a message. */
export const sources: Record<'mention' | 'file' | 'prompt', Source> = {
  mention: { label: 'mention.search', ...site() },
  file: { label: 'mention.searchFiles', ...site('file') },
  prompt: {
    label: 'prompts.search',
    found: 'prompts.found',
    none: 'prompts.none',
    empty: 'prompts.empty',
    failed: 'prompts.failed',
    look: lookForPrompts,
  },
}

import * as z from 'zod'
import data from './articles.json' with { type: 'json' }

/** A header with its paragraphs or its lines. */
const Part = z.tuple([z.string(), z.array(z.string())])
export type Part = z.infer<typeof Part>

const Words = z.strictObject({ text: Part, list: Part })

/** The content of a page that is no product: a text and a list, each in both languages. */
const Article = z.strictObject({ page: z.int(), en: Words, de: Words })
export type Article = z.infer<typeof Article>

/** The texts of all pages that sell nothing directly; throws where the file has another shape. */
export const articles: Article[] = z.array(Article).parse(data)

import * as z from 'zod'
import data from './products.json' with { type: 'json' }

const Words = z.strictObject({ name: z.string(), material: z.string(), text: z.string() })

/** A product with its page: `uid` is the page, `parent` the category. Prices are in euros, sizes in centimetres. */
const Product = z.strictObject({
  uid: z.int(),
  parent: z.int(),
  slug: z.string(),
  price: z.number(),
  size: z.string(),
  en: Words,
  de: Words,
})
export type Product = z.infer<typeof Product>

/** All products of the shop; throws where the file has another shape. */
export const products: Product[] = z.array(Product).parse(data)

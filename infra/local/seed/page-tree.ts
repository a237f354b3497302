import { dayMs } from '../../../core/base/clock.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import type { Row, Value } from '../../../core/cms/reference/item.ts'
import pageData from './pages.json' with { type: 'json' }
import products from './products.json' with { type: 'json' }

type SeedPage = (typeof pageData)[number]

const open = { perms_userid: 1, perms_groupid: 1, perms_user: 31, perms_group: 27, perms_everybody: 1 }

/**
 * The rights to a page, by the kind of its access. Only administrators see the pages of the management. A user may
 * write the news page if a group of the user may change news.
 */
const rights: Record<string, Record<string, Value>> = {
  public: open,
  everybody: { ...open, perms_everybody: 17 },
  management: { ...open, perms_groupid: null, perms_group: 0, perms_everybody: 0 },
}

/** The German record of “About us”; the other pages have no translation yet. */
const german = {
  uid: 66,
  original: 5,
  fields: {
    title: 'Über uns',
    slug: '/ueber-uns',
    description: 'Wer wir sind, wo wir arbeiten und was wir nicht tun.',
  },
}

/** Returns all pages of the site in menu order: the products' pages follow the others, the German page is the last. */
export function pageRows(now: number): Row[] {
  const shop = products.map(({ uid, parent, en, slug }) => ({
    uid,
    parent,
    title: en.name,
    slug,
    description: en.text,
  }))
  const all: SeedPage[] = [...pageData, ...shop]
  const byUid = new Map(all.map((page) => [page.uid, page]))
  const address = (uid: number): string => {
    const page = byUid.get(uid)
    return page && page.slug !== '' ? `${address(page.parent)}/${page.slug}` : ''
  }
  const rows = all.map(
    ({ uid, parent, title, description, isHidden = false, access = 'public', fields = {} }, at) => {
      const changedAt = now - (2 + ((uid * 37) % 180)) * dayMs
      const by = access === 'management' || uid % 3 === 0 ? 'admin' : 'editor'
      const place = { pid: parent, at: now - (400 + ((uid * 13) % 250)) * dayMs, changedAt, by }
      return seedRow('pages', uid, place, {
        title,
        slug: address(uid) || '/',
        description,
        hidden: isHidden,
        ...fields,
        sorting: (at + 1) * 256,
        ...rights[access],
      })
    },
  )
  const { uid, original, fields } = german
  const about = rows.find((page) => page.uid === original)
  if (!about) throw new Error(`There is no page ${original}`)
  return [...rows, { ...about, uid, fields: { ...about.fields, ...fields, language: 1, original } }]
}

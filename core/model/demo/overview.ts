import type { RecordId } from '../../conversation/schema.ts'
import { hits, idIn, record } from './reading.ts'
import { call, calling, type Script } from './script.ts'
import { unknownTarget } from './show.ts'
import type { Situation } from './situation.ts'
import { asScript, brief, inWords, named, say, trouble } from './speech.ts'

/** Answers the proposals for lists: an overview of pages, pages without a description, the newest record. */

type Entry = { depth: number; title: string; uid: RecordId }

/** The number of pages, and the pages directly below the home page, each with its number of descendants. */
export function* overview(s: Situation): Script {
  const tree = yield* call('get_page_tree', { depth: 10 })
  if (tree.isError) return trouble(s.lang, tree.text)
  const pages = entriesOf(tree.text)
  const top = Math.min(...pages.map(({ depth }) => depth))
  const lines = pages.flatMap(({ depth, title, uid }, at) => {
    if (depth !== top) return []
    const next = pages.findIndex((page, other) => other > at && page.depth <= depth)
    const below = (next < 0 ? pages.length : next) - at - 1
    const with_ = say(s.lang, {
      en: `, ${below} below`,
      de: `, ${below} darunter`,
      fr: `, ${below} au-dessous`,
    })
    return [`- **${title}** [${uid}]${below > 0 ? with_ : ''}`]
  })
  const head = say(s.lang, {
    en: `You may see ${pages.length} pages below the home page. Its sections:`,
    de: `Sie dürfen ${pages.length} Seiten unter der Startseite sehen. Ihre Bereiche:`,
    fr: `Vous pouvez voir ${pages.length} pages sous la page d’accueil. Ses rubriques\u202f:`,
  })
  const note = asScript(s.lang, {
    en: 'I counted the page tree. A model would tell what the site is about.',
    de: 'Ich habe den Seitenbaum gezählt. Ein Modell würde sagen, worum es auf der Website geht.',
    fr: 'J’ai compté les pages de l’arborescence. Un modèle dirait de quoi parle le site.',
  })
  return [head, lines.join('\n'), note].join('\n\n')
}

function entriesOf(text: string): Entry[] {
  return [...text.matchAll(/^( *)- (.*?) \[([^\]\s]+)\]/gm)].map(([, indent = '', title = '', uid = '']) => ({
    depth: indent.length,
    title,
    uid: idIn(uid),
  }))
}

/** The pages that `check_site` finds without a description. */
export function* withoutDescription(s: Situation): Script {
  const result = yield* call('check_site', { checks: ['description'] })
  if (result.isError) return trouble(s.lang, result.text)
  const [, checked = '0'] = result.text.match(/^Checked (\d+) pages?/) ?? []
  const items = [...result.text.matchAll(/^- (“.*?” \[[^\]\s]+\])/gm)].map(
    ([, page = '']) => `- ${inWords(s.lang, page)}`,
  )
  if (items.length === 0)
    return say(s.lang, {
      en: `None: all ${checked} pages that you may see have a description.`,
      de: `Keine: Alle ${checked} Seiten, die Sie sehen dürfen, haben eine Beschreibung.`,
      fr: `Aucune\u202f: les ${checked} pages que vous pouvez voir ont toutes une description.`,
    })
  const head = say(s.lang, {
    en: `Of ${checked} pages, these have no description (${items.length}):`,
    de: `Von ${checked} Seiten haben diese keine Beschreibung (${items.length}):`,
    fr: `Sur ${checked} pages, celles-ci n’ont pas de description (${items.length})\u202f:`,
  })
  return `${head}\n\n${items.join('\n')}`
}

/** The internal links that lead to no page. */
export function* deadLinks(s: Situation): Script {
  const result = yield* call('check_site', { checks: ['links'] })
  if (result.isError) return trouble(s.lang, result.text)
  const [, checked = '0'] = result.text.match(/^Checked (\d+) pages?/) ?? []
  const items = [...result.text.matchAll(/^- .*$/gm)].map(([line]) => inWords(s.lang, line))
  if (items.length === 0)
    return say(s.lang, {
      en: `No dead link: on the ${checked} pages that you may see, every internal link leads to a page. I do not follow links to other sites.`,
      de: `Kein toter Link: Auf den ${checked} Seiten, die Sie sehen dürfen, führt jeder interne Link zu einer Seite. Links zu anderen Websites folge ich nicht.`,
      fr: `Aucun lien mort\u202f: sur les ${checked} pages que vous pouvez voir, chaque lien interne mène à une page. Je ne suis pas les liens vers d’autres sites.`,
    })
  const head = say(s.lang, {
    en: `Of ${checked} pages, these have internal links that lead to no page (${items.length}):`,
    de: `Von ${checked} Seiten haben diese interne Links, die zu keiner Seite führen (${items.length}):`,
    fr: `Sur ${checked} pages, celles-ci ont des liens internes qui ne mènent à aucune page (${items.length})\u202f:`,
  })
  return `${head}\n\n${items.join('\n')}`
}

/** The tables of an open list: those that the script knows; for a connected CMS, the table of the open record. */
function listed({ isOwn, mentioned }: Situation): string[] {
  if (isOwn) return ['news', 'content']
  return mentioned ? [mentioned.table] : []
}

/** The most recently changed record of the open list, field by field. */
export function* newestRecord(s: Situation): Script {
  const place = s.page ? { page: s.page.uid } : {}
  const tables = listed(s)
  if (tables.length === 0) return unknownTarget(s)
  const results = yield* calling(
    ...tables.map((table) => ({ name: 'list_records', arguments: { table, ...place, limit: 100 } })),
  )
  const all = results.flatMap(({ text, isError, arguments: { table } }) =>
    isError ? [] : hits(text).map((hit) => ({ ...hit, table: String(table), at: changedAt(text, hit.uid) })),
  )
  const [newest] = all.sort((a, b) => b.at.localeCompare(a.at))
  if (!newest)
    return say(s.lang, {
      en: 'The open list has no news and no content elements that you may see.',
      de: 'In der offenen Liste sind keine Nachrichten und keine Inhaltselemente, die Sie sehen dürfen.',
      fr: 'La liste ouverte ne contient ni actualité ni élément de contenu que vous puissiez voir.',
    })
  const result = yield* call('get_record', { table: newest.table, uid: newest.uid })
  const stored = result.isError ? undefined : record(result.text)
  if (!stored) return trouble(s.lang, result.text)
  const head = say(s.lang, {
    en: `The newest record of this list is ${named('en', newest.title)} [${newest.uid}], changed ${inWords('en', newest.at)}. It says:`,
    de: `Der neueste Datensatz dieser Liste ist ${named('de', newest.title)} [${newest.uid}], geändert ${inWords('de', newest.at)}. Darin steht:`,
    fr: `L’enregistrement le plus récent de cette liste est ${named('fr', newest.title)} [${newest.uid}], modifié ${inWords('fr', newest.at)}. Il contient\u202f:`,
  })
  const lines = [...stored.fields]
    .filter(([, value]) => value !== '' && value !== 'false' && value !== '0')
    .map(
      ([name, value]) =>
        `- **${stored.labels.get(name) ?? name}:** ${brief(value.replace(/<[^<>]*>/g, ' '))}`,
    )
  const note = asScript(s.lang, {
    en: 'I show what is stored. A model would explain it.',
    de: 'Ich zeige, was gespeichert ist. Ein Modell würde es erklären.',
    fr: 'J’affiche ce qui est enregistré. Un modèle l’expliquerait.',
  })
  return [head, lines.join('\n'), note].join('\n\n')
}

function changedAt(text: string, uid: RecordId): string {
  const line = text.split('\n').find((each) => each.startsWith('- ') && each.includes(`[${uid}] “`))
  return line?.match(/, changed (.*)$/)?.[1] ?? ''
}

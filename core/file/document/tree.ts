import { type Handler, Parser, type ParserOptions } from 'htmlparser2'

/** An element of HTML or XML with its texts and elements in their order. */
export type Element = { tag: string; attributes: Record<string, string>; children: Node[] }
/** A text, or an element. */
export type Node = Element | string

/** Returns an element with its contents. */
export function element(tag: string, children: Node[] = [], attributes: Element['attributes'] = {}): Element {
  return { tag, attributes, children }
}

/** Limit of nesting: no person writes deeper documents. The time of the parser grows with the square of the depth. */
const maxDepth = 500

/** Receives an element that has ended, with its ancestors, outermost first; true drops it from the tree. */
type Take = (ended: Element, around: readonly Element[]) => boolean

/** Returns the tree of an XML text. Throws for elements that are nested too deeply. */
export const xmlTree = (xml: string, take?: Take): Element => treeOf(xml, { xmlMode: true }, take)

/** Returns the tree of an HTML text. Throws for elements that are nested too deeply. */
export const htmlTree = (html: string): Element => treeOf(html, {})

/** Returns a root element with all nodes of a source. Tag names lose their prefix. */
function treeOf(source: string, options: ParserOptions, take: Take = () => false): Element {
  const root = element('')
  const open = [root]
  const handler: Partial<Handler> = {
    onopentag(name, attributes) {
      if (open.length > maxDepth) throw new Error('The elements of the document are nested too deeply')
      const opened = element(name.slice(name.indexOf(':') + 1), [], attributes)
      open.at(-1)?.children.push(opened)
      open.push(opened)
    },
    ontext: (text) => open.at(-1)?.children.push(text),
    onclosetag() {
      const ended = open.pop()
      if (ended && take(ended, open)) open.at(-1)?.children.pop()
    },
  }
  new Parser(handler, options).end(source)
  return root
}

/** Returns the elements among nodes that have one of these tags. */
export function elements(nodes: Node[], ...tags: string[]): Element[] {
  return nodes.filter((node): node is Element => typeof node !== 'string' && tags.includes(node.tag))
}

/** Returns the descendants with one of these tags, without descendants of a match. */
export function descendants({ children }: Element, ...tags: string[]): Element[] {
  return children.flatMap((child) => {
    if (typeof child === 'string') return []
    return tags.includes(child.tag) ? [child] : descendants(child, ...tags)
  })
}

/** Returns the text of nodes, without their elements. */
export function wordsIn(nodes: Node[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : wordsIn(node.children))).join('')
}

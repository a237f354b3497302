import { escapeUTF8 } from 'entities/escape'
import { type Element, elements, type Node, xmlTree } from './tree.ts'

/**
 * An equation may not contain the start of another one: the search for its end stops there, so that the pattern takes
 * linear time.
 */
const equation = /<m:oMath(?:\s[^<>]*)?>(?:(?!<m:oMath[\s>])[\s\S])*?<\/m:oMath>/g
const around =
  /<\/?m:oMathPara(?:\s[^<>]*)?>|<m:oMathParaPr(?:\s[^<>]*)?>(?:(?!<m:oMathParaPr[\s>])[\s\S])*?<\/m:oMathParaPr>/g

/** Returns the XML of a Word part with its equations as text in one line: `(a+b)/(2)`, `x^(2)`, `√(x)`. */
export function withEquations(xml: string): string {
  return xml
    .replace(around, '')
    .replace(
      equation,
      (math) => `<w:r><w:t xml:space="preserve">${escapeUTF8(words(xmlTree(math)))}</w:t></w:r>`,
    )
}

/**
 * Returns the text of an element. Fractions, powers and indices get `/`, `^` and `_`, because only their layout shows
 * them in the document.
 */
function words(node: Node): string {
  if (typeof node === 'string') return ''
  const part = (tag: string) => elements(node.children, tag)
  const inner = (tag: string) => part(tag).map(words).join('')
  const mark = (name: string, otherwise: string) => setting(node, name) ?? otherwise
  switch (node.tag) {
    case 't':
      return node.children.filter((child) => typeof child === 'string').join('')
    case 'f':
      return `(${inner('num')})/(${inner('den')})`
    case 'sSup':
      return `${inner('e')}^(${inner('sup')})`
    case 'sSub':
      return `${inner('e')}_(${inner('sub')})`
    case 'sSubSup':
      return `${inner('e')}_(${inner('sub')})^(${inner('sup')})`
    case 'rad':
      return `√${inner('deg') && `[${inner('deg')}]`}(${inner('e')})`
    case 'nary':
      return `${mark('chr', '∫')}${bound('_', inner('sub'))}${bound('^', inner('sup'))} ${inner('e')}`
    case 'd':
      return mark('begChr', '(') + part('e').map(words).join(', ') + mark('endChr', ')')
    default:
      return node.children.map(words).join('')
  }
}

function bound(sign: string, text: string): string {
  return text === '' ? '' : `${sign}(${text})`
}

/** Returns the character that the properties of an element set under `name`; undefined if they do not set it. */
function setting({ tag, children }: Element, name: string): string | undefined {
  const [properties] = elements(children, `${tag}Pr`)
  const [found] = elements(properties?.children ?? [], name)
  return found?.attributes['m:val']
}

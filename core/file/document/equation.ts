import { Parser } from 'htmlparser2'

type Element = { tag: string; attributes: Record<string, string>; children: (Element | string)[] }

/** An equation may not contain the start of another: the search for its end stops there, so that it never repeats. */
const equation = /<m:oMath(?:\s[^<>]*)?>(?:(?!<m:oMath[\s>])[\s\S])*?<\/m:oMath>/g
const around =
  /<\/?m:oMathPara(?:\s[^<>]*)?>|<m:oMathParaPr(?:\s[^<>]*)?>(?:(?!<m:oMathParaPr[\s>])[\s\S])*?<\/m:oMathParaPr>/g

/** The XML of a Word part with its equations as runs of text in one line: `(a+b)/(2)`, `x^(2)`, `√(x)`. */
export function withEquations(xml: string): string {
  return xml
    .replace(around, '')
    .replace(equation, (math) => `<w:r><w:t xml:space="preserve">${escaped(lineOf(math))}</w:t></w:r>`)
}

function lineOf(math: string): string {
  const root: Element = { tag: '', attributes: {}, children: [] }
  const open = [root]
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        const element = { tag, attributes, children: [] }
        open.at(-1)?.children.push(element)
        open.push(element)
      },
      ontext: (text) => open.at(-1)?.children.push(text),
      onclosetag: () => open.pop(),
    },
    { xmlMode: true },
  )
  parser.end(math)
  return words(root)
}

/** The text of an element. Operators that only position shows are written out; other elements give their words. */
function words(node: Element | string): string {
  if (typeof node === 'string') return ''
  const part = (tag: string) =>
    node.children.filter((child) => typeof child !== 'string' && child.tag === tag)
  const inner = (tag: string) => part(tag).map(words).join('')
  const mark = (name: string, otherwise: string) => setting(node, name) ?? otherwise
  switch (node.tag) {
    case 'm:t':
      return node.children.filter((child) => typeof child === 'string').join('')
    case 'm:f':
      return `(${inner('m:num')})/(${inner('m:den')})`
    case 'm:sSup':
      return `${inner('m:e')}^(${inner('m:sup')})`
    case 'm:sSub':
      return `${inner('m:e')}_(${inner('m:sub')})`
    case 'm:sSubSup':
      return `${inner('m:e')}_(${inner('m:sub')})^(${inner('m:sup')})`
    case 'm:rad':
      return `√${inner('m:deg') && `[${inner('m:deg')}]`}(${inner('m:e')})`
    case 'm:nary':
      return `${mark('m:chr', '∫')}${bound('_', inner('m:sub'))}${bound('^', inner('m:sup'))} ${inner('m:e')}`
    case 'm:d':
      return mark('m:begChr', '(') + part('m:e').map(words).join(', ') + mark('m:endChr', ')')
    default:
      return node.children.map(words).join('')
  }
}

function bound(sign: string, text: string): string {
  return text === '' ? '' : `${sign}(${text})`
}

/** A character that the properties of an element set; undefined if they set none. */
function setting({ tag, children }: Element, name: string): string | undefined {
  const properties = children.find((child) => typeof child !== 'string' && child.tag === `${tag}Pr`)
  if (!properties || typeof properties === 'string') return undefined
  const found = properties.children.find((child) => typeof child !== 'string' && child.tag === name)
  return typeof found === 'object' ? found.attributes['m:val'] : undefined
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Most characters of a cleaned name, extension included, and most bytes: file systems end at 255. */
const maxCharacters = 100
const maxBytes = 200

/** What is looked at of a name; the rest of a longer one is dropped before anything else is done with it. */
const maxLooked = 1_000

/**
 * A file name that is safe to show, to store and to quote: one line, no path, no control, bidi or zero-width
 * characters, none that file systems or markup give a meaning, at most 100 characters. The extension survives.
 */
export function cleanName(name: string): string {
  const plain = shortened(name)
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu, '')
    .replace(/[<>:"|?*&`]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  const dot = plain.lastIndexOf('.')
  const stem = dot > 0 ? plain.slice(0, dot) : plain
  const extension = dot > 0 ? plain.slice(dot).slice(0, 12) : ''
  return `${cut(stem, extension) || 'file'}${extension}`
}

/** The last part of a path, of a long one its beginning and its end, where the extension is. */
function shortened(name: string): string {
  const leaf = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  return leaf.length > maxLooked ? leaf.slice(0, maxLooked - 20) + leaf.slice(-20) : leaf
}

function cut(stem: string, extension: string): string {
  let kept = ''
  let count = extension.length
  for (const character of stem) {
    count += 1
    if (count > maxCharacters || Buffer.byteLength(kept + character + extension) > maxBytes) break
    kept += character
  }
  return kept.trimEnd()
}

/** A `Content-Disposition` that saves under the name in every browser (RFC 6266, RFC 8187) and never opens. */
export function attachmentHeader(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

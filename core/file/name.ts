/** Limits of a cleaned name with its extension; file systems allow 255 bytes. */
const maxCharacters = 100
const maxNameBytes = 200

/** Longer names are cut to this many characters before any other step. */
const maxLooked = 1_000

/**
 * Cleans a file name so that it is safe to show, store and quote. The result is one line of at most 100 characters,
 * without a path. It has no control, bidi or zero-width characters, and none that file systems or markup interpret.
 * The extension stays.
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

/** The last part of a path; if it is long, its beginning and its end with the extension. */
function shortened(name: string): string {
  const leaf = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  return leaf.length > maxLooked ? leaf.slice(0, maxLooked - 20) + leaf.slice(-20) : leaf
}

function cut(stem: string, extension: string): string {
  let kept = ''
  let count = extension.length
  for (const character of stem) {
    count += 1
    if (count > maxCharacters || Buffer.byteLength(kept + character + extension) > maxNameBytes) break
    kept += character
  }
  return kept.trimEnd()
}

/** A `Content-Disposition` that makes browsers save under this name and never open (RFC 6266, RFC 8187). */
export function attachmentHeader(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

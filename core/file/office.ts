import { about, mimeTypeOf, type OfficeFormat } from './format.ts'
import type { Reason } from './reason.ts'
import { inflate, type ZipEntry } from './zip.ts'

/** Checks the parts of an Office file, for an upload and again in the sandbox. */

/** The maximum number of bytes of a part that names other parts. */
const maxContentTypesBytes = 1024 ** 2

/**
 * Returns the reason why a zip with these entries is refused as an Office file; throws ZipError if an entry cannot be
 * inflated.
 */
export function inspectParts(entries: ZipEntry[], format: OfficeFormat): Reason | undefined {
  const { mainPart } = about(format)
  if (!mainPart) return inspectOpenDocument(entries, mimeTypeOf(format))
  const types = entries.find(({ name }) => name.toLowerCase() === '[content_types].xml')
  if (!types) return 'content'
  const listed = inflate(types, maxContentTypesBytes).toString('utf8')
  const hasMacros = /macroEnabled|vbaProject/i.test(listed)
  if (hasMacros || entries.some(({ name }) => /vbaProject|macrosheets\//i.test(name))) return 'macros'
  return listed.includes(mainPart) ? undefined : 'content'
}

/** Checks an OpenDocument file: its first part holds its type, its manifest names encrypted parts. */
function inspectOpenDocument(entries: ZipEntry[], type: string): Reason | undefined {
  const part = (name: string) => {
    const entry = entries.find((one) => one.name === name)
    return entry ? inflate(entry, maxContentTypesBytes).toString('utf8') : ''
  }
  if (part('mimetype').trim() !== type) return 'content'
  if (/:encryption-data\b/.test(part('META-INF/manifest.xml'))) return 'encrypted'
  // LibreOffice writes the macro folder even without macros.
  const hasMacros = entries.some(({ name }) => /^(?:Basic\/.+\/(?!script-lb)|Scripts\/).+\.\w+$/.test(name))
  return hasMacros ? 'macros' : undefined
}

import type { SandboxedFormat } from '../format.ts'
import type { Reader } from './schema.ts'

/** The reader of each format, loaded only in the sandbox. */
export const readers: Record<SandboxedFormat, () => Promise<Reader>> = {
  pdf: async () => (await import('./pdf.ts')).readPdf,
  docx: async () => (await import('./docx.ts')).readDocx,
  xlsx: async () => (await import('./xlsx.ts')).readXlsx,
  pptx: async () => (await import('./pptx.ts')).readPptx,
  odt: async () => (await import('./odt.ts')).readOdt,
  ods: async () => (await import('./ods.ts')).readOds,
  rtf: async () => (await import('./rtf.ts')).readRtf,
  eml: async () => (await import('./eml.ts')).readEml,
}

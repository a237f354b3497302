import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

const root = resolve(import.meta.dirname, 'web/backend')
const page = resolve(root, 'index.html')

/**
 * Removes the line breaks and indents between the tags of a template, which are invisible but would be part of every
 * page's download.
 */
const denseTemplates: Plugin = {
  name: 'dense-templates',
  enforce: 'post',
  apply: 'build',
  transform(code, id) {
    if (!id.includes('/web/') || !/\b(?:html|svg)`/.test(code)) return null
    const cuts: [number, number][] = []
    walk(this.parse(code), (node) => {
      if (node.type !== 'TaggedTemplateExpression' || !/^(?:html|svg)$/.test(node.tag?.name ?? '')) return
      for (const { start, end } of node.quasi?.quasis ?? []) cuts.push([start, end])
    })
    let dense = ''
    let at = 0
    for (const [start, end] of cuts.sort((a, b) => a[0] - b[0])) {
      dense += code.slice(at, start) + code.slice(start, end).replace(/\s*\n\s*/g, ' ')
      at = end
    }
    return { code: dense + code.slice(at), map: null }
  },
}

type Node = {
  type?: string
  tag?: { name?: string }
  quasi?: { quasis: { start: number; end: number }[] }
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return
  if ('type' in value) visit(value as Node)
  for (const child of Object.values(value)) walk(child, visit)
}

/** Replaces Vite's loader for styles of chunks: no chunk has styles, because every sheet is part of its script. */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  apply: 'build',
  load: {
    order: 'pre',
    filter: { id: /vite\/preload-helper/ },
    handler: () => 'export const __vitePreload = (load) => load()',
  },
}

/** Documents of the repository that the build publishes with the pages, under their own names. */
const documents: Plugin = {
  name: 'documents',
  apply: 'build',
  generateBundle() {
    for (const path of ['project-manifest.json', 'docs/openapi.json']) {
      const source = readFileSync(resolve(import.meta.dirname, path))
      this.emitFile({ type: 'asset', fileName: basename(path), source })
    }
  },
}

/**
 * Writes the list of the build's parts, and the hashes of its pages. A deployed stage keeps the parts of earlier builds
 * for 30 days (`core/watch/retire`).
 */
const release: Plugin = {
  name: 'release',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const names = Object.keys(bundle).sort()
      const parts = names.filter((name) => name.startsWith('assets/'))
      const entries = names.filter((name) => /^[^/]+\.(?:html|js)$/.test(name))
      const pages = Object.fromEntries(entries.map((name) => [name, hashOf(bundle[name])]))
      this.emitFile({ type: 'asset', fileName: 'release.json', source: JSON.stringify({ parts, pages }) })
    },
  },
}

function hashOf(file: Rolldown.OutputAsset | Rolldown.OutputChunk | undefined): string {
  const content = file?.type === 'asset' ? file.source : (file?.code ?? '')
  return createHash('sha256').update(content).digest('hex')
}

/**
 * Builds three entries into `dist/web`: the reference backend (`index.html`), the chat (`chat.js`) and its set-up by a
 * script tag (`embed.js`). The two scripts have stable names, because pages of other sites load them. The backend
 * imports the chat, so that the code they share is only in the chat's file.
 */
export default defineConfig({
  root,
  base: '/backend/',
  publicDir: false,
  plugins: [denseTemplates, plainImports, documents, release],
  // Addresses inside scripts are relative, because a page of another site loads the scripts from the origin of the
  // stage.
  experimental: {
    renderBuiltUrl: (_file, { hostType }) => (hostType === 'js' ? { relative: true } : undefined),
  },
  build: {
    outDir: resolve(import.meta.dirname, 'dist/web'),
    emptyOutDir: true,
    target: 'es2023',
    // These browsers support `light-dark()` and nesting, so the build does not rewrite the styles. The scripts would
    // run in older versions, too.
    cssTarget: ['chrome125', 'firefox128', 'safari17.5'],
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        chat: resolve(import.meta.dirname, 'web/chat/main.ts'),
        embed: resolve(import.meta.dirname, 'web/chat/embed.ts'),
        // A stage with an external backend serves only the chat.
        ...(existsSync(page) && process.env.AI_CHAT_PAGES !== 'chat' ? { index: page } : {}),
      },
      output: {
        // `chat.js` contains everything that the chat and the set-up need at once. Its name never changes, so browsers
        // ask for a newer one at each visit. Dynamic imports stay separate, and browsers cache them forever.
        codeSplitting: {
          groups: [
            {
              name: 'core',
              tags: ['$initial'],
              test: /\/web\/chat\/(?!embed)|\/node_modules\/|preload-helper/,
            },
          ],
        },
        entryFileNames: (chunk) =>
          /^(?:chat|embed)$/.test(chunk.name) ? '[name].js' : 'assets/[name]-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
    },
  },
})

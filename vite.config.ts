import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineConfig } from 'vite'

const root = resolve(import.meta.dirname, 'web/backend')
const page = resolve(root, 'index.html')

/**
 * Builds two entries into `dist/web`: the reference backend (`index.html`) and the chat (`chat.js`, the one stable
 * name that foreign pages load). The backend imports the chat, so that what both need is in the chat's file, once.
 */
export default defineConfig({
  root,
  base: '/backend/',
  publicDir: false,
  // Addresses inside scripts are relative, since a foreign page loads them from another origin than its own.
  experimental: {
    renderBuiltUrl: (_file, { hostType }) => (hostType === 'js' ? { relative: true } : undefined),
  },
  build: {
    outDir: resolve(import.meta.dirname, 'dist/web'),
    emptyOutDir: true,
    target: 'es2023',
    // Newer than what the script needs, because of `light-dark()` and nesting: they are never rewritten.
    cssTarget: ['chrome125', 'firefox128', 'safari17.5'],
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        chat: resolve(import.meta.dirname, 'web/chat/main.ts'),
        ...(existsSync(page) ? { index: page } : {}),
      },
      output: {
        entryFileNames: (chunk) => (chunk.name === 'chat' ? 'chat.js' : 'assets/[name]-[hash].js'),
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
    },
  },
})

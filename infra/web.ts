import { router } from './router.ts'
import { deployment } from './stage.ts'

/** The reference backend with the chat, or `chat.js` alone where the backend is elsewhere. */
export const web = new sst.aws.StaticSite('Web', {
  router: { instance: router, path: '/backend' },
  build: { command: 'npm run build', output: 'dist/web' },
  environment: { AI_CHAT_PAGES: deployment.cms ? 'chat' : 'all' },
  transform: {
    assets: (args) => {
      // Only CloudFront reads them.
      args.cors = false
    },
  },
  assets: {
    // Open tabs and embedding pages fetch parts of earlier releases on demand: a deploy leaves them where they are, and
    // `retire` removes them later.
    purge: false,
    fileOptions: [
      { files: '**', cacheControl: 'no-cache' },
      { files: 'assets/**', cacheControl: 'public, max-age=31536000, immutable' },
    ],
  },
})

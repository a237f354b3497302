import { functionArgs } from './function.ts'
import { retirePermissions } from './permission.ts'
import { router } from './router.ts'
import { deployment } from './stage.ts'

/** The reference backend with the chat, or only `chat.js` if the stage has a connected CMS. */
export const web = new sst.aws.StaticSite('Web', {
  router: { instance: router, path: '/backend' },
  build: { command: 'npm run build', output: 'dist/web' },
  environment: { AI_CHAT_PAGES: deployment.cms ? 'chat' : 'all' },
  transform: {
    // Only CloudFront reads the files, so browsers need no CORS.
    assets: { cors: false },
  },
  assets: {
    // A deploy keeps the script files of earlier releases, because open tabs and embedding pages load them on demand.
    // `retire` removes them later.
    purge: false,
    fileOptions: [
      { files: '**', cacheControl: 'no-cache' },
      { files: 'assets/**', cacheControl: 'public, max-age=31536000, immutable' },
    ],
  },
})

const { assets } = web.nodes
if (!assets) throw new Error('The pages have no bucket.')

const args = functionArgs({ name: 'retire', permissions: retirePermissions(assets) })

/**
 * Removes script files of earlier releases once a day. A failed run is not repeated, because the next run does the
 * same.
 */
export const retire = new sst.aws.CronV2(
  'Retire',
  {
    schedule: 'rate(1 day)',
    retries: 0,
    event: { bucket: assets.name },
    function: { ...args, handler: 'functions/retire.handler', timeout: '60 seconds', retries: 0 },
  },
  { dependsOn: web },
)

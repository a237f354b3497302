import { bucket } from './bucket.ts'
import { origin } from './router.ts'
import { settings } from './stage.ts'

/** Browsers upload to the store and download from it only from the stage's own pages, and those that embed the chat. */
new aws.s3.BucketCorsConfiguration('FilesCors', {
  bucket: bucket.name,
  corsRules: [
    {
      allowedOrigins: [origin, ...settings.embedOrigins],
      allowedMethods: ['GET', 'POST'],
      allowedHeaders: ['content-type'],
      exposeHeaders: ['etag'],
      maxAgeSeconds: 600,
    },
  ],
})

/** A process that loads the SDK's clients of table and queue, and nothing of the product. */
import { keepCompiled } from '../../../infra/local/compiled.ts'

keepCompiled()
await Promise.all([import('@aws-sdk/lib-dynamodb'), import('@aws-sdk/client-sqs')])

import { VisibleError } from '../base/error.ts'

/**
 * The CMS could not be asked: it does not answer (`cms.unavailable`, worth a repeat), or the set-up of the line is
 * wrong (`cms.misconfigured`). `message` names the cause for administrators, logs and `npm run doctor`.
 */
export class CmsFailure extends VisibleError {
  declare readonly code: 'cms.unavailable' | 'cms.misconfigured'

  constructor(code: CmsFailure['code'], message: string, cause?: unknown) {
    super(code, { cause, ...(code === 'cms.unavailable' && { retryAfterMs: 1_000 }) })
    this.name = 'CmsFailure'
    this.message = message
  }
}

import type { ModelRecord, Provider } from '../stage/settings/schema.ts'
import type { ModelLimits } from './model.ts'

const mb = 1_000_000

/**
 * Limits of one request to a model. Images: 5 MB as base64 and 2,000 pixels, which are valid for any number of images;
 * the provider scales larger ones down anyway. Requests: 32 MB at Anthropic, less on Bedrock, both as base64. Sources:
 * https://platform.claude.com/docs/en/build-with-claude/vision and …/pdf-support.
 */
export function limits(
  { contextTokens, maxOutputTokens }: Pick<ModelRecord, 'contextTokens' | 'maxOutputTokens'>,
  adapter: Provider['adapter'],
): ModelLimits {
  const isLarge = contextTokens >= 1_000_000
  const isBedrock = adapter === 'bedrock'
  return {
    contextTokens,
    maxOutputTokens,
    imageBytes: 3.75 * mb,
    imageEdge: 2_000,
    images: isLarge ? 600 : 100,
    pdfPages: isLarge && !isBedrock ? 600 : 100,
    attachmentBytes: isBedrock ? 12 * mb : 20 * mb,
  }
}

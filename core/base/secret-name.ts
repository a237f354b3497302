/** Returns the name of a secret on a deployed stage, as in `sst secret set`: `AnthropicSecret` for `anthropic`. */
export function secretName(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter(Boolean)
  return `${words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('')}Secret`
}

/** Returns the environment variable of a secret: `AI_CHAT_SECRET_ANTHROPIC` for `anthropic`. */
export function secretVariable(name: string): string {
  return `AI_CHAT_SECRET_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`
}

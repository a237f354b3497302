/** The name under which a deployed stage keeps a secret: `anthropic` is `AnthropicSecret`, as in `sst secret set`. */
export function secretName(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter(Boolean)
  return `${words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('')}Secret`
}

/**
 * The one catalogue of secret shapes. Whatever leaves for a log, an error message, the activity list, a run record or
 * the model passes through it. Each pattern either has a fixed start or bounded parts, so that the time stays in
 * proportion to the text whatever the text is.
 */

const removed = '[redacted]'

type Shape = { name: string; pattern: RegExp; instead: string }

/** Shapes that are a secret wherever they stand. */
const keys: Record<string, RegExp> = {
  anthropic: /\bsk-ant-[\w-]{8,}/g,
  openai: /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}/g,
  'aws access key id': /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  'aws bedrock api key': /\bABSK[A-Za-z0-9+/]{40,}={0,2}/g,
  github: /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})/g,
  gitlab: /\bglpat-[\w-]{20,}/g,
  npm: /\bnpm_[A-Za-z0-9]{36}\b/g,
  slack: /\bxox[abceoprs]-[\w-]{10,}|\bxapp-[\w-]{10,}/g,
  'slack webhook': /\bhooks\.slack\.com\/(?:services|workflows)\/[\w/-]{10,}/g,
  google: /\bAIza[\w-]{35}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}/g,
  stripe: /\b(?:[srp]k_(?:live|test)|whsec)_[A-Za-z0-9]{10,}/g,
  sendgrid: /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  'json web token': /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g,
  'password hash': /\$(?:2[abxy]|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,20})\$[^\s"'<>]{8,}/g,
  'private key':
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----))*(?:-----END [A-Z ]{0,40}-----)?/g,
}

/** What ends in one of these words, before `=` or `:`, names a secret: `DB_PASSWORD`, `apiKey`, `x-api-key`, `be_session`. */
const names =
  'pass(?:word|wd|phrase)|kennwort|passwort|pwd|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|secret[_-]?key|credentials?|be_session|csrf'

/** Words that stand where a secret would and are none. */
const harmless = '(?!(?:true|false|null|none|undefined|unset|empty)\\b|\\[redacted\\])'

const shapes: Shape[] = [
  ...Object.entries(keys).map(([name, pattern]) => ({ name, pattern, instead: removed })),
  {
    name: 'authorization header',
    pattern:
      /\b((?:proxy-)?authorization["']?\s{0,3}[:=]\s{0,3}["']?)(?!\[redacted\])[^\s"',;]{1,2000}(?: [^\s"',;]{4,4000})?/gi,
    instead: `$1${removed}`,
  },
  {
    name: 'bearer or basic credentials',
    pattern: /\b(Bearer|Basic) {1,3}(?=[A-Za-z._~+/-]{0,200}[0-9=])[\w.~+/-]{8,}={0,2}/gi,
    instead: `$1 ${removed}`,
  },
  {
    name: 'cookie header',
    pattern: /\b((?:set-)?cookie["']?\s{0,3}[:=]\s{0,3}["']?)(?!\[redacted\])[^\r\n"']{1,8000}/gi,
    instead: `$1${removed}`,
  },
  {
    name: 'address with credentials',
    pattern: /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/:@"'<>]{0,200}:[^\s/@"'<>]{1,400}@/gi,
    instead: `$1${removed}@`,
  },
  {
    name: 'signature of an address',
    pattern:
      /([?&](?:X-Amz-(?:Signature|Credential|Security-Token)|sig|signature|key|code)=)(?!\[redacted\])[^&\s"'<>]{6,}/gi,
    instead: `$1${removed}`,
  },
  {
    name: 'linked secret of the deployment',
    pattern:
      /\b(SST_(?:RESOURCE|SECRET|KEY)_?\w{0,80}["']?\s{0,3}[:=]\s{0,3})(?!\[redacted\])(?:"(?:[^"\\\r\n]|\\.){0,4000}"|'[^'\r\n]{0,4000}'|\{[^}\r\n]{0,4000}\}|[^\s,;]{1,4000})/g,
    instead: `$1${removed}`,
  },
  {
    name: 'named secret, quoted',
    pattern: new RegExp(
      `((?:${names})\\\\?["']?\\s{0,3}[:=]\\s{0,3}\\\\?)(["'])${harmless}[^"'\\\\\\r\\n]{1,4000}`,
      'gi',
    ),
    instead: `$1$2${removed}`,
  },
  {
    name: 'named secret',
    pattern: new RegExp(
      `((?:${names})["']?\\s{0,3}(?:=\\s{0,3}|:\\s{0,3}))${harmless}(?![0-9]{1,9}\\b(?![\\w-]))[^\\s"'\\\\,;&<>(){}]{3,4000}`,
      'gi',
    ),
    instead: `$1${removed}`,
  },
]

/** The text with every credential in it replaced by `[redacted]`; harmless to apply twice. */
export function redact(text: string): string {
  return shapes.reduce((rest, { pattern, instead }) => rest.replace(pattern, instead), text)
}

/**
 * The only catalogue of secret patterns. Every text for a log, an error message, the activity list, a run record or
 * the model passes through it. Each pattern has a fixed start or bounded parts, so that its time is linear in any
 * text.
 */

const removed = '[redacted]'

/** Patterns of texts that are always a secret. */
const keys: Record<string, RegExp> = {
  'our access token': /\baic[tor]_\d{1,16}_[0-9a-f]{8,16}_[\w-]{20,}/g,
  'our pairing code': /\baic[12]\.[\w-]{20,}(?:\.[\w-]{1,2000})?/g,
  'our CSRF token': /\baicc_[0-9a-f]{32,}/g,
  'our sealed grant': /\bv1\.[\w-]{38,}/g,
  anthropic: /\bsk-ant-[\w-]{8,}/g,
  openai: /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}/g,
  'aws access key id': /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  'aws bedrock api key': /\bABSK[A-Za-z0-9+/]{40,}={0,2}/g,
  'hosts of models':
    /\b(?:hf_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|pplx-[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,})/g,
  pypi: /\bpypi-AgE[\w-]{20,}/g,
  docker: /\bdckr_[a-z]{2,10}_[\w-]{20,}/g,
  digitalocean: /\bdo[opr]_v1_[a-f0-9]{32,}/g,
  grafana: /\bgl(?:sa|c)_[\w-]{20,}/g,
  shopify: /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/g,
  age: /\bAGE-SECRET-KEY-1[A-Z0-9]{50,}/g,
  github: /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})/g,
  gitlab: /\bglpat-[\w-]{20,}/g,
  npm: /\bnpm_[A-Za-z0-9]{36}\b/g,
  slack: /\bxox[abceoprs]-[\w-]{10,}|\bxapp-[\w-]{10,}/g,
  'slack webhook': /\bhooks\.slack\.com\/(?:services|workflows)\/[\w/-]{10,}/g,
  google: /\bAIza[\w-]{35}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}/g,
  stripe: /\b(?:[srp]k_(?:live|test)|whsec)_[A-Za-z0-9]{10,}/g,
  sendgrid: /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  // The first alternative takes a long base64 JSON as a whole, although no token has such a long header. Otherwise, the
  // search for the dot after a header would start again at each `eyJ` inside.
  'json web token': /\beyJ(?:[\w-]{300,}(?:\.[\w-]*){0,2}|[\w-]{8,299}\.[\w-]{8,}(?:\.[\w-]*)?)/g,
  'password hash': /(?:\$2[abxy]|(?:\$|\b)(?:argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,20}))\$[^\s"'<>]{8,}/g,
  'private key':
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----))*(?:-----END [A-Z ]{0,40}-----)?/g,
}

/** A name that ends in one of these words, before `=` or `:`, names a secret: `DB_PASSWORD`, `apiKey`, `x-api-key`. */
const names = [
  'pass(?:word|wd|phrase)',
  'kennwort|passwort|(?:api|zugangs|zugriffs)[_-]?schl(?:ü|ue)ssel',
  'mot[\\s_-]?de[\\s_-]?passe|mdp|jeton',
  "cl[ée][\\s_-]?(?:secr[eè]te|priv[ée]e|d['’]acc[eè]s|(?:d['’])?api)",
  'pwd|secret(?:_\\w{1,60})?|token|credentials?|be_session',
  '(?:api|access|account|private|signing|encryption)[ _-]?key',
].join('|')

/** Words that stand in the place of a secret but are not secrets. */
const none = '(?!(?:true|false|null|none|undefined|unset|empty)\\b|\\[redacted\\])'

/** Secrets that the text before them reveals, each with its replacement. */
const named: Record<string, [pattern: RegExp, instead: string]> = {
  'authorization header': [
    /\b((?:proxy-)?authorization["']?\s{0,3}[:=]\s{0,3}["']?)(?!\[redacted\])[^\s"',;]{1,2000}(?: [^\s"',;]{1,4000})?/gi,
    `$1${removed}`,
  ],
  'bearer or basic credentials': [
    /\b(Bearer|Basic) {1,3}(?=[A-Za-z._~+/-]{0,200}[0-9=])[\w.~+/-]{8,}={0,2}/gi,
    `$1 ${removed}`,
  ],
  'cookie header': [
    /\b((?:set-)?cookie["']?\s{0,3}[:=]\s{0,3}["']?)(?!\[redacted\])[^\r\n"']{1,8000}/gi,
    `$1${removed}`,
  ],
  'address with credentials': [
    /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/:@"'<>]{0,200}:[^\s/"'<>]{1,400}@/gi,
    `$1${removed}@`,
  ],
  'signature of an address': [
    /([?&](?:X-Amz-(?:Signature|Credential|Security-Token)|sig|signature|key|code)=)(?!\[redacted\])[^&\s"'<>]{6,}/gi,
    `$1${removed}`,
  ],
  // The value holds a digit, and is no part of a path, an address or a time.
  'key in a sentence': [
    /\b(key\s{0,3}(?:(?:provided|received|is)\b\s{0,3}[:=]?|[:=])\s{0,3}["'`]?)(?=[a-z_~+*-]{0,200}[0-9])[\w~+*-]{12,}(?![\w~+*/:@-]|\.\w)/gi,
    `$1${removed}`,
  ],
  'linked secret of the deployment': [
    /\b(SST_(?:RESOURCE|SECRET|KEY)_?\w{0,80}["']?\s{0,3}[:=]\s{0,3})(?!\[redacted\])(?:"(?:[^"\\\r\n]|\\.){0,4000}"|'[^'\r\n]{0,4000}'|\{[^}\r\n]{0,4000}\}|[^\s,;]{1,4000})/g,
    `$1${removed}`,
  ],
  'value in quotes': [
    new RegExp(
      `((?:${names})["']?\\s{0,3}[:=]\\s{0,3})(["'])${none}(?:(?!\\2)[^\\\\\\r\\n]|\\\\.){1,4000}`,
      'gi',
    ),
    `$1$2${removed}`,
  ],
  'value in quotes within a text in quotes': [
    new RegExp(`((?:${names})\\\\["']\\s{0,3}[:=]\\s{0,3}\\\\["'])${none}[^"'\\\\\\r\\n]{1,4000}`, 'gi'),
    `$1${removed}`,
  ],
  value: [
    // A plain number is a count (of tokens), not a secret.
    new RegExp(
      `((?:${names})["']?\\s{0,3}[:=]\\s{0,3})${none}(?![0-9]{1,9}\\b(?![\\w-]))[^\\s"'\\\\,;&<>(){}]{3,4000}`,
      'gi',
    ),
    `$1${removed}`,
  ],
}

const catalogue: [RegExp, string][] = [
  ...Object.values(keys).map((pattern): [RegExp, string] => [pattern, removed]),
  ...Object.values(named),
]

/** Replaces every credential in a text by `[redacted]`; harmless to apply twice. */
export function redact(text: string): string {
  return catalogue.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text)
}

/** The part of a text that is searched for credentials, as a multiple of the part that the caller keeps. */
const looked = 4

/**
 * Redacts a text for a caller that keeps at most `length` of it (in characters or bytes). Of a longer text, it searches
 * and returns only the beginning: four times `length` characters. It then drops the last word, which may be half of a
 * credential that the patterns no longer match.
 */
export function redactBeginning(text: string, length: number): string {
  const most = length * looked
  if (text.length <= most) return redact(text)
  const end = text.slice(most - 500, most).replace(/\S{1,500}$/, '')
  return redact((text.slice(0, most - 500) + end).toWellFormed())
}

// Finds text that looks like credentials, so that the tester can report what no rule redacts. A list of well-known formats, not a proof: a
// password that looks like an ordinary word is not found. Each pattern looks ahead at most a few hundred characters, so that a search takes
// time in proportion to the text.
import type { JsonValue } from '@signalbox/core'

interface Form {
  readonly name: string
  readonly pattern: RegExp
}

// A fixed prefix, then a bounded run of one class of characters.
const FORMS: readonly Form[] = [
  { name: 'an AWS access key id', pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}/ },
  {
    name: 'a GitHub token',
    pattern: /\b(?:gh[oprsu]_[0-9A-Za-z]{30}|github_pat_[0-9A-Za-z_]{30})/,
  },
  { name: 'a GitLab token', pattern: /\bglpat-[0-9A-Za-z_-]{20}/ },
  { name: 'a Slack token', pattern: /\bxox[abprs]-[0-9A-Za-z-]{10}/ },
  { name: 'a Google API key', pattern: /\bAIza[0-9A-Za-z_-]{35}/ },
  { name: 'a key of a model provider', pattern: /\bsk-[0-9A-Za-z_-]{20}/ },
  { name: 'a Stripe key', pattern: /\b[rs]k_(?:live|test)_[0-9A-Za-z]{16}/ },
  { name: 'a Signalbox API key', pattern: /\bsbx_[0-9A-Za-z]{8}_[0-9A-Za-z_-]{43}/ },
  { name: 'a JSON Web Token', pattern: /\beyJ[0-9A-Za-z_-]{10}[0-9A-Za-z_-]{0,300}\.eyJ/ },
  { name: 'a private key', pattern: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/ },
  { name: 'a bearer token', pattern: /\b[Bb]earer [0-9A-Za-z._~+/-]{20}/ },
  {
    name: 'a password in an address',
    pattern: /\b[a-z][a-z0-9+]{1,20}:\/\/[^\s:/@]{1,200}:[^\s:/@]{1,200}@/,
  },
]

/** Longer texts are cut before they are searched; the limit of a payload is lower. */
const LONGEST = 200_000

/** Name of the credential format found in the text; null: none. */
function detectForm(text: string): string | null {
  const searched = text.slice(0, LONGEST)
  return FORMS.find(({ pattern }) => pattern.test(searched))?.name ?? null
}

/** Beyond those that are always redacted. Lower case, without `-` and `_`. */
const NAMES = ['credential', 'passphrase', 'password', 'passwd', 'secret', 'privatekey', 'apitoken']

export interface LikelySecret {
  readonly pointer: string
  /** Nearest property name above the value, by which a rule can redact it; null: none. */
  readonly property: string | null
  readonly why: string
}

interface Open {
  readonly value: JsonValue
  readonly pointer: string
  readonly property: string | null
}

const step = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

function openChildren({ value, pointer, property }: Open): readonly Open[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value))
    return value.map((inner: JsonValue, i) => ({
      value: inner,
      pointer: `${pointer}/${i}`,
      property,
    }))
  return Object.entries(value).map(([name, inner]) => ({
    value: inner,
    pointer: `${pointer}/${step(name)}`,
    property: name,
  }))
}

function whyLikely({ value, property, pointer }: Open): string | null {
  if (typeof value !== 'string' || value === '') return null
  const form = detectForm(value)
  if (form !== null) return `looks like ${form}`
  const name = pointer.endsWith(`/${step(property ?? '')}`) ? (property ?? '') : ''
  const plain = name.toLowerCase().replaceAll(/[-_]/g, '')
  return NAMES.some((word) => plain.includes(word)) ? `has the name "${name}"` : null
}

/** At most `limit` findings, in document order. Values that are redacted already are not reported. */
export function likelySecrets(payload: JsonValue, limit = 50): readonly LikelySecret[] {
  const found: LikelySecret[] = []
  const open: Open[] = [{ value: payload, pointer: '', property: null }]
  while (open.length > 0 && found.length < limit) {
    const next = open.pop()
    if (next === undefined) break
    const why = whyLikely(next)
    if (why !== null) found.push({ pointer: next.pointer, property: next.property, why })
    open.push(...openChildren(next).toReversed())
  }
  return found
}

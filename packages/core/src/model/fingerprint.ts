// Short identity of a call's tool and arguments, to detect repeated calls. Not for security: 64 bits, no secret.
import { fnv1a } from './fnv.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'

/** Deeper values are not distinguished. Without a limit, an input could overflow the stack of the recursion. */
const MAX_DEPTH = 64

export function callFingerprint(tool: string, args: JsonObject): string {
  const text = `${tool}\n${stableText(args, 0)}`
  return fnv1a(text).toString(16) + fnv1a(text, 0x01234567).toString(16)
}

function stableText(value: JsonValue, depth: number): string {
  if (depth > MAX_DEPTH) return '…'
  if (isJsonObject(value)) {
    const keys = Object.keys(value).sort()
    return `{${keys.map((key) => `${JSON.stringify(key)}:${stableText(value[key] ?? null, depth + 1)}`).join(',')}}`
  }
  if (typeof value === 'object' && value !== null) {
    return `[${value.map((item) => stableText(item, depth + 1)).join(',')}]`
  }
  return JSON.stringify(value)
}

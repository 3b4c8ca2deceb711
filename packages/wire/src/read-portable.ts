// Refuses a file in which any byte was changed, and states which part does not match (specs/portable-bundle.md).
import type { SessionEvent } from '@signalbox/core'
import * as z from 'zod/v4'
import { fromBase64Url, toBase64Url } from './base64url.ts'
import { canonicalJson, computeDigest, isLinked, textDigest, textHash } from './digest.ts'
import { computeKeyId } from './key-record-v1.ts'
import { isTooDeep } from './nesting.ts'
import { parseEventLine } from './parse-event.ts'
import {
  computeLinesDigest,
  MAX_PORTABLE_BYTES,
  PortableHeadV1,
  type Seal,
  Sealed,
} from './portable-bundle-v1.ts'
import { verifyText } from './signature.ts'

export type PortableDefect = 'format' | 'version' | 'seal' | 'head' | 'events' | 'config'

export type ReadPortable =
  | { readonly ok: false; readonly defect: PortableDefect; readonly message: string }
  | {
      readonly ok: true
      readonly head: PortableHeadV1
      /** Ascending, including events of types that this build does not know. */
      readonly events: readonly SessionEvent[]
      /** Key that signed the file, base64url. The file cannot prove who owns the key. */
      readonly publicKey: string
      readonly keyId: string
      /** Sequence number of the first event that does not name the hash of the event before; null: the chain is complete. */
      readonly brokenAt: number | null
    }

type Refused = Extract<ReadPortable, { readonly ok: false }>

const refused = (defect: PortableDefect, message: string): Refused => ({
  ok: false,
  defect,
  message,
})

/** Checks that no byte was changed since the file was signed, but not who owns the key. Never throws. */
export function readPortableBundle(bytes: Uint8Array): ReadPortable {
  if (bytes.length > MAX_PORTABLE_BYTES)
    return refused('format', 'The file is larger than 64 MiB, the limit for a portable bundle.')
  const lines = decodeLines(bytes)
  if (lines === null)
    return refused(
      'format',
      'The file is not UTF-8 text that ends with a line break: it is not a portable bundle, or its end is missing.',
    )
  const [first = '', ...rest] = lines
  const last = rest.at(-1)
  if (last === undefined)
    return refused(
      'format',
      'The file has no seal: it is not a portable bundle, or its end is missing.',
    )
  const newer = newerVersion(first)
  if (newer !== null) return newer
  const sealed = readSeal(last)
  if ('defect' in sealed) return sealed
  const events = rest.slice(0, -1)
  return mismatch(first, events, sealed) ?? parsed(first, events, sealed.public_key)
}

function decodeLines(bytes: Uint8Array): readonly string[] | null {
  try {
    // Keep a byte order mark, because it is signed like any other byte.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const lines = text.split('\n')
    return lines.pop() === '' ? lines : null
  } catch {
    return null
  }
}

function parsePortableJson(text: string): unknown {
  try {
    return isTooDeep(text) ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Refuses a file of a newer version, which is not damaged and must not be reported as damaged. */
function newerVersion(first: string): Refused | null {
  const named = z
    .looseObject({ portable_bundle_version: z.number() })
    .safeParse(parsePortableJson(first))
  if (!named.success || named.data.portable_bundle_version <= 1) return null
  return refused(
    'version',
    `The file has format version ${named.data.portable_bundle_version}; this program reads version 1. Use a newer version of the program.`,
  )
}

function readSeal(line: string): Refused | z.output<typeof Seal> {
  const value = Sealed.safeParse(parsePortableJson(line))
  if (!value.success)
    return refused(
      'seal',
      'The last line is not a seal: the file is not a portable bundle, or its end was changed or is missing.',
    )
  const { seal, signature } = value.data
  // Only one form is accepted, so that no other bytes have the same meaning.
  const isExact =
    canonicalJson(value.data) === line && [signature, seal.public_key].every(isExactBase64Url)
  if (!isExact)
    return refused('seal', 'The seal (the last line) was changed: it is not in canonical form.')
  if (verifyText(canonicalJson(seal), signature, seal.public_key)) return seal
  return refused(
    'seal',
    'The signature does not match the seal (the last line): the seal, the signature or the key in it was changed.',
  )
}

function isExactBase64Url(text: string): boolean {
  const bytes = fromBase64Url(text)
  return bytes !== null && toBase64Url(bytes) === text
}

function mismatch(
  first: string,
  events: readonly string[],
  seal: z.output<typeof Seal>,
): Refused | null {
  if (textDigest(first) !== seal.head)
    return refused(
      'head',
      'The first line (the description of the decision, and the config versions) was changed after it was signed.',
    )
  if (computeLinesDigest(events) === seal.events) return null
  if (events.length !== seal.count)
    return refused(
      'events',
      `The file was sealed with ${seal.count} events and has ${events.length}.`,
    )
  return refused('events', `The events were changed after they were signed${findChange(events)}.`)
}

/** Locates a change by the hash chain. No event names the hash of the last one, so a change there is found by exclusion. */
function findChange(lines: readonly string[]): string {
  const linked = z.looseObject({ seq: z.int(), prev: z.string().optional() })
  for (const [index, line] of lines.entries()) {
    const event = linked.safeParse(parsePortableJson(line))
    if (!event.success) return `: line ${index + 2} is not an event`
    const before = lines[index - 1]
    if (before === undefined || event.data.prev === undefined) continue
    if (event.data.prev !== textHash(before))
      return `: line ${index + 1} does not have the hash that event #${event.data.seq} after it names`
  }
  return `: line ${lines.length + 1}`
}

function parsed(first: string, lines: readonly string[], publicKey: string): ReadPortable {
  const parsedHead = PortableHeadV1.safeParse(parsePortableJson(first))
  if (!parsedHead.success) {
    const at = parsedHead.error.issues[0]?.path.join('.') ?? ''
    const where = at === '' ? '' : ` (${at})`
    return refused(
      'head',
      `The first line is signed but does not have the form of version 1${where}.`,
    )
  }
  const head = parsedHead.data
  const wrong = head.configs.find(({ digest, document }) => computeDigest(document) !== digest)
  if (wrong !== undefined)
    return refused('config', `The config version ${wrong.digest} does not have this digest.`)
  const events: SessionEvent[] = []
  for (const [index, line] of lines.entries()) {
    const read = parseEventLine(line)
    if (!read.ok)
      return refused(
        'events',
        `Line ${index + 2} is signed but is not an event: ${read.problem.message}`,
      )
    if (read.event.session !== head.session)
      return refused('events', `Line ${index + 2} is an event of another session.`)
    // An event of a type that this build does not know has the same envelope, and core folds it without effect.
    events.push(read.event as SessionEvent)
  }
  const brokenAt = breakIn(events, lines)
  return { ok: true, head, events, publicKey, keyId: computeKeyId(publicKey), brokenAt }
}

function breakIn(events: readonly SessionEvent[], lines: readonly string[]): number | null {
  const broken = events.find((event, index) => {
    const before = lines[index - 1]
    // A file that does not start with the first event is incomplete, but that does not break the chain.
    if (before === undefined) return event.seq === 1 && !isLinked(event, null)
    return !isLinked(event, textHash(before))
  })
  return broken?.seq ?? null
}

import type { CompiledConfig, ConfigDocument, JsonValue, SessionEvent } from '@signalbox/core'
import {
  allowSteps,
  callReading,
  type DecisionReading,
  type DivergenceCause,
  findDecision,
  stopReading,
  unblock,
  verifySession,
} from '@signalbox/core/analysis'
import { celExpressions } from '@signalbox/core/expression'
import { compileChecked } from '@signalbox/core/lint'
import type { SessionVersions } from '@signalbox/core/tighten'
import { type PortableHeadV1, parseConfigText, readPortableBundle } from '@signalbox/wire'

type Read = ReturnType<typeof readPortableBundle>
type Genuine = Extract<Read, { readonly ok: true }>

export interface Signer {
  readonly keyId: string
  /** Base64url. */
  readonly publicKey: string
  /** False: no key was given to compare with, so anyone may have signed. */
  readonly isKnown: boolean
}

export interface BundleDivergence {
  readonly at: number
  readonly why: DivergenceCause | 'broken_chain'
  /** null: no decision. */
  readonly expected: JsonValue
  readonly recorded: JsonValue
}

/** `computed`: by this program, from the events. `told`: as the author of the file states it; nothing was recomputed. */
export type ShownReading = DecisionReading & { readonly from: 'computed' | 'told' }

interface Shown {
  readonly head: PortableHeadV1
  readonly signer: Signer
  readonly reading: ShownReading
  readonly events: readonly SessionEvent[]
}

export type OpenedBundle =
  | {
      readonly status: 'refused'
      readonly defect: Extract<Read, { readonly ok: false }>['defect'] | 'key'
      readonly message: string
    }
  /** Signed and complete, and core recomputes all `decisions` up to and including this one to the same result. */
  | ({ readonly status: 'verified'; readonly decisions: number } & Shown)
  | ({ readonly status: 'diverged'; readonly divergence: BundleDivergence } & Shown)
  /** Signed, but something that the decision depends on is missing. */
  | ({ readonly status: 'not_replayable'; readonly why: readonly string[] } & Shown)

const expressions = celExpressions()

/** `key`: public key or key id of the required signer; null: the signer is shown as unknown. Never throws. */
export function openPortableBundle(bytes: Uint8Array, key: string | null): OpenedBundle {
  const read = readPortableBundle(bytes)
  if (!read.ok) return { status: 'refused', defect: read.defect, message: read.message }
  const { publicKey, keyId } = read
  if (key !== null && key !== publicKey && key !== keyId) {
    const message = `The file was signed by the key ${keyId}, not by the given key.`
    return { status: 'refused', defect: 'key', message }
  }
  const signer = { keyId, publicKey, isKnown: key !== null }
  return { ...judged(read), signer }
}

type Judged = OpenedBundle extends infer One
  ? One extends { readonly signer: Signer }
    ? Omit<One, 'signer'>
    : never
  : never

function judged(read: Genuine): Judged {
  const { head, events, brokenAt } = read
  const stated = { head, events, reading: { ...head.reading, from: 'told' } } as const
  const not = (why: readonly string[]): Judged => ({ status: 'not_replayable', why, ...stated })
  if (brokenAt !== null) {
    const chain = { at: brokenAt, why: 'broken_chain', expected: null, recorded: null } as const
    return { status: 'diverged', divergence: chain, ...stated }
  }
  if (head.missing.length > 0) return not(head.missing.map(({ why }) => why))
  const gap = gapIn(events, head)
  if (gap !== null) return not([gap])
  const versions = openBundleVersions(head, events)
  if (typeof versions === 'string') return not([versions])
  const result = verifySession(versions, events)
  if (result.status === 'diverged') {
    const { at, why, expected, recorded } = result
    return { status: 'diverged', divergence: { at, why, expected, recorded }, ...stated }
  }
  const reading = recomputeReading(versions, events, head.seq)
  if (reading === null) return not([`Event #${head.seq} records no decision.`])
  const { decisions } = result
  return { status: 'verified', decisions, head, events, reading: { ...reading, from: 'computed' } }
}

/** A signed file may still contain less than it states. */
function gapIn(events: readonly SessionEvent[], { seq }: PortableHeadV1): string | null {
  const wrong = events.findIndex((event, index) => event.seq !== index + 1)
  if (wrong >= 0) return `Event #${wrong + 1} is not in the file.`
  const last = events.length
  if (last < seq) return `The events after #${last} are not in the file; the decision is #${seq}.`
  return last > seq ? `The file continues after the decision, to #${last}.` : null
}

function openBundleVersions(
  { configs }: PortableHeadV1,
  events: readonly SessionEvent[],
): SessionVersions | string {
  const [first] = events
  const customTypes = first?.type === 'session.started' ? (first.data.custom_types ?? []) : []
  const compiled = new Map<string, CompiledConfig>()
  for (const { digest, document } of configs) {
    const config = compiledFrom(document, customTypes)
    if (typeof config === 'string')
      return `The config version ${digest} cannot be evaluated by this program: ${config}`
    compiled.set(digest, config)
  }
  const began = first?.config === undefined ? undefined : compiled.get(first.config)
  if (began === undefined)
    return 'The config version that the session began with is not in the file.'
  return { began, find: (digest) => compiled.get(digest) ?? null }
}

function compiledFrom(
  document: PortableHeadV1['configs'][number]['document'],
  customTypes: readonly string[],
): CompiledConfig | string {
  const parsed = parseConfigText(JSON.stringify(document))
  const result = parsed.ok
    ? compileChecked(parsed.document satisfies ConfigDocument, { expressions, customTypes })
    : parsed
  if (result.ok) return result.config
  return result.problems.find(({ severity }) => severity === 'error')?.message ?? 'unknown problem.'
}

/** null: the event records no decision on a call or a stop. */
function recomputeReading(
  versions: SessionVersions,
  events: readonly SessionEvent[],
  seq: number,
): DecisionReading | null {
  const decision = findDecision(versions, events, seq)
  if (decision === null) return null
  const { config, before, event, effects } = decision
  for (const effect of effects) {
    if (effect.kind === 'stop.decided' && event.type === 'stop.attempted')
      return stopReading(effect.data, unblock(config, before, event))
    if (effect.kind === 'tool.decided')
      return callReading(effect.data, allowSteps(effect.data, config.document))
  }
  return null
}

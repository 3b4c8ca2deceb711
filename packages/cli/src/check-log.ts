// signalbox replay --check: whether the decisions in a log are those that core makes of it, and whether its hash chain holds.
import type { CompiledConfig, SessionEvent } from '@signalbox/core'
import { digestTakenBy } from '@signalbox/core/tighten'
import {
  type DivergenceCause,
  startVerification,
  type Verification,
  verifyEvent,
} from '@signalbox/core/views'
import { eventHash, isLinked } from '@signalbox/wire'
import type { ConfigFile } from './config-file.ts'
import { eventsOf } from './event-log.ts'
import { EXIT, type Io } from './io.ts'
import { customTypesOf } from './replay.ts'

interface Checked {
  /** Of the version that the session began with; null: it has none. */
  readonly digest: string | null
  readonly config: CompiledConfig
  readonly verification: Verification
  /** Hash of the last event; null before the first. */
  readonly hash: string | null
  /** Whether an event named its predecessor: then all must. A log written by hand has no chain. */
  readonly isChained: boolean
}

type Cause = DivergenceCause | 'broken_chain'

const SENTENCES: { readonly [Name in Cause]: string } = {
  other_decision: 'the recomputed decision is another',
  unexpected_decision: 'nothing led to this decision',
  acted_before_decision: 'the call went on before its decision was recorded',
  ended_before_decision: 'the session ended before a decision was recorded',
  unknown_version: 'the session took another version over, which is not the given config',
  too_many_open: 'too many decisions are not recorded',
  broken_chain: 'the event does not name the hash of the event before it',
}

/** Stops at the first event that does not agree. */
export async function checkLog(
  io: Io,
  files: { readonly config: ConfigFile; readonly events: string },
): Promise<number> {
  const sessions = new Map<string, Checked>()
  let confirmed = 0
  for await (const event of eventsOf(io, files.events)) {
    const before = sessions.get(event.session) ?? begin(files.config, event)
    const { checked, confirms, cause } = check(before, event)
    if (cause !== null) {
      io.out(`diverged at #${event.seq} of ${event.session}: ${SENTENCES[cause]}`)
      return EXIT.findings
    }
    sessions.set(event.session, checked)
    if (confirms) confirmed += 1
  }
  io.out(summaryOf(confirmed, [...sessions.values()]))
  return EXIT.clean
}

function begin(file: ConfigFile, first: SessionEvent): Checked {
  const config = file.compiledFor(customTypesOf(first))
  const digest = first.config ?? null
  const verification = startVerification(config)
  return { digest, config, verification, hash: null, isChained: false }
}

function check(
  { digest, config, verification, hash, isChained }: Checked,
  event: SessionEvent,
): { readonly checked: Checked; readonly confirms: boolean; readonly cause: Cause | null } {
  const next = verifyEvent(config, verification, event)
  const isInChain = isChained || event.prev !== undefined
  const isOther = digest !== null && digestTakenBy(event, digest) !== null
  const why = isOther ? 'unknown_version' : (next.divergence?.why ?? null)
  const isBroken = isInChain && !isLinked(event, hash)
  return {
    checked: {
      digest,
      config,
      verification: next.verification,
      hash: eventHash(event),
      isChained: isInChain,
    },
    confirms: next.confirms,
    cause: isBroken ? 'broken_chain' : why,
  }
}

function summaryOf(confirmed: number, sessions: readonly Checked[]): string {
  const waiting = sessions.reduce((sum, { verification }) => sum + verification.expected.length, 0)
  const open = waiting === 0 ? '' : `, ${waiting} not recorded yet`
  return `verified: ${confirmed} decisions${open}`
}

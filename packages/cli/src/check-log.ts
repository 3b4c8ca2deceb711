// Compares the decisions in a log with those of core, and verifies the hash chain.
import type { CompiledConfig, SessionEvent } from '@signalbox/core'
import {
  countText,
  type DivergenceCause,
  plural,
  startVerification,
  type Verification,
  verifyEvent,
} from '@signalbox/core/analysis'
import { digestTakenBy } from '@signalbox/core/tighten'
import { eventHash, isLinked } from '@signalbox/wire'
import type { ConfigFile } from './base/config-file.ts'
import { readEvents } from './base/event-log.ts'
import { EXIT, type Io } from './base/io.ts'
import { readCustomTypes } from './replay.ts'

interface Checked {
  /** Digest of the session's first version; null: the session names none. */
  readonly digest: string | null
  readonly config: CompiledConfig
  readonly verification: Verification
  /** Hash of the last event; null: no event yet. */
  readonly hash: string | null
  /** An event named its predecessor, so all later ones must. A handwritten log has no chain. */
  readonly isChained: boolean
  readonly isEnded: boolean
}

type Cause = DivergenceCause | 'broken_chain'

const SENTENCES: { readonly [Name in Cause]: string } = {
  other_decision: 'the recomputed decision differs',
  unexpected_decision: 'nothing led to this decision',
  acted_before_decision: 'the call continued before its decision was recorded',
  ended_before_decision: 'the session ended before a decision was recorded',
  unknown_version: 'the session moved to a version other than the given config',
  too_many_open: 'too many decisions are not recorded',
  broken_chain: 'the event does not contain the hash of the event before it',
}

export async function checkLog(
  io: Io,
  files: { readonly config: ConfigFile; readonly events: string },
): Promise<number> {
  const sessions = new Map<string, Checked>()
  let confirmed = 0
  for await (const event of readEvents(io, files.events)) {
    const before = sessions.get(event.session) ?? begin(files.config, event)
    const { checked, confirms, why } = check(before, event, files.config)
    if (why !== null) {
      io.out(`diverged at #${event.seq} of ${event.session}: ${why}`)
      return EXIT.findings
    }
    sessions.set(event.session, checked)
    if (confirms) confirmed += 1
  }
  io.out(summarizeChecks(confirmed, [...sessions.values()]))
  for (const [session, checked] of sessions) {
    for (const line of listDoubts(checked)) io.out(`${session}: ${line}`)
  }
  return EXIT.clean
}

function begin(file: ConfigFile, first: SessionEvent): Checked {
  const config = file.compiledFor(readCustomTypes(first))
  const digest = first.config ?? null
  const verification = startVerification(config)
  return { digest, config, verification, hash: null, isChained: false, isEnded: false }
}

interface CheckedEvent {
  readonly checked: Checked
  readonly confirms: boolean
  /** null: the event agrees. */
  readonly why: string | null
}

function check(
  { digest, config, verification, hash, isChained, isEnded }: Checked,
  event: SessionEvent,
  file: ConfigFile,
): CheckedEvent {
  const next = verifyEvent(config, verification, event)
  const isInChain = isChained || event.prev !== undefined
  const isOther = digest !== null && digestTakenBy(event, digest) !== null
  const cause = isOther ? 'unknown_version' : (next.divergence?.why ?? null)
  const isBroken = isInChain && !isLinked(event, hash)
  return {
    checked: {
      digest,
      config,
      verification: next.verification,
      hash: eventHash(event),
      isChained: isInChain,
      isEnded: isEnded || event.type === 'session.ended',
    },
    confirms: next.confirms,
    why: otherConfig(event, file) ?? describeCause(isBroken ? 'broken_chain' : cause),
  }
}

/** null: the event names no config, or the given one. */
function otherConfig({ config }: SessionEvent, { digest }: ConfigFile): string | null {
  if (config === undefined || config === digest) return null
  return `the event was decided under ${config}, but the given config is ${digest}`
}

function describeCause(cause: Cause | null): string | null {
  return cause === null ? null : SENTENCES[cause]
}

function summarizeChecks(confirmed: number, sessions: readonly Checked[]): string {
  const waiting = sessions.reduce((sum, { verification }) => sum + verification.expected.length, 0)
  const open = waiting === 0 ? '' : `, ${countText(waiting)} not recorded yet`
  return `verified: ${plural(confirmed, 'decision')}${open}`
}

function listDoubts({ digest, isChained, isEnded }: Checked): readonly string[] {
  return [
    ...(isEnded ? [] : ['the log has no session.ended, so its end may be missing']),
    ...(isChained
      ? []
      : ['the log has no hash chain, so only the inputs of its decisions are proven']),
    ...(digest === null
      ? ['the log does not name a config, so its decisions may come from any config']
      : []),
  ]
}

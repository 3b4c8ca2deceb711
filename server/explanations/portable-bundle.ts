// Missing data is named and never replaced (specs/portable-bundle.md).
import type { SessionEvent } from '@signalbox/core'
import {
  callReading,
  type DecisionReading,
  ENGINE_VERSION,
  stopReading,
} from '@signalbox/core/analysis'
import { digestTakenBy } from '@signalbox/core/tighten'
import {
  canonicalJson,
  computeDigest,
  MAX_PORTABLE_BYTES,
  type PortableHeadV1,
  portableEnds,
} from '@signalbox/wire'
import { activePair } from '@/server/bundles/signing-seed.ts'
import { findVersionText } from '@/server/ingest/config-texts.sql.ts'
import { findProjectSlug } from '@/server/platform/auth/projects.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { env } from '@/server/platform/base/env.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { removedSentence } from '@/server/sessions/log/log-place.ts'
import { toLoggedEvent } from '@/server/sessions/log/logged-event.ts'
import { findLogPlace, type LogPlace, readLog } from '@/server/sessions/log/session-log.sql.ts'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import { findConfigInForce } from './config-in-force.sql.ts'
import { explainDecision } from './decision-explanation.ts'
import { LogText } from './log-text.ts'
import { redactionsIn } from './redactions.ts'
import { type StopExplanation, stopExplanation } from './stop-explanation.ts'

type Missing = PortableHeadV1['missing'][number]

interface Subject {
  readonly kind: PortableHeadV1['kind']
  readonly id: string
  readonly path: string
  readonly session: SessionHead
  readonly sdk: string | null
  readonly seq: number
  readonly at: number
  /** `record`: the event of the decision; null: it is no longer stored. */
  readonly read: (record: SessionEvent | null) => DecisionReading
}

interface CarriedLog {
  /** Canonical JSON from the first event on; no line: the events are not stored. */
  readonly text: LogText
  /** The event of the decision; null: it is not among them. */
  readonly record: SessionEvent | null
  readonly digests: readonly string[]
  readonly redacted: number
  readonly missing: readonly Missing[]
}

const PAGE = 1_000
/** Leaves room for head and seal, and for the versions and one reading in the head. */
const MOST_LOG_BYTES = MAX_PORTABLE_BYTES - 8 * 1024 * 1024

function tooLarge(seq: number): ServiceError {
  return new ServiceError(
    'invalid',
    `The log up to #${seq} is larger than a portable bundle may be (64 MiB). Export the session as JSONL and check it with "signalbox replay --check".`,
  )
}

/** Missing part of the log; null: it is complete. */
function gapBefore(place: LogPlace, seq: number): Missing | null {
  if (place.removed !== null) return { what: 'events', why: removedSentence(place.removed) }
  if (place.contiguousSeq >= seq) return null
  return {
    what: 'events',
    why: `Event #${place.contiguousSeq + 1} never arrived, so the log up to the decision is not whole.`,
  }
}

async function* eventsTo(place: LogPlace, to: number): AsyncGenerator<SessionEvent> {
  let from = 1
  while (from <= to) {
    const rows = await readLog(place, { from, to, limit: PAGE })
    if (rows.length === 0) return
    for (const row of rows) yield toLoggedEvent(place.sessionId, row)
    from += rows.length
  }
}

async function carriedLog(place: LogPlace, seq: number): Promise<CarriedLog> {
  const gap = gapBefore(place, seq)
  const to = place.removed === null ? Math.min(seq, place.contiguousSeq) : 0
  const text = new LogText()
  const digests: string[] = []
  let record: SessionEvent | null = null
  let redacted = 0
  for await (const event of eventsTo(place, to)) {
    const current = digests.at(-1) ?? null
    const taken = text.count === 0 ? (event.config ?? null) : digestTakenBy(event, current)
    if (taken !== null) digests.push(taken)
    redacted += redactionsIn(event.data).length
    await text.add(canonicalJson(event))
    if (text.bytes > MOST_LOG_BYTES) throw tooLarge(seq)
    record = event
  }
  return {
    text,
    digests,
    redacted,
    record: record?.seq === seq ? record : null,
    missing: gap === null ? [] : [gap],
  }
}

type Carried = PortableHeadV1['configs'][number]

async function carriedConfig(
  projectId: AuthorizedProjectId,
  digest: string,
  environment: string,
): Promise<Carried | Missing> {
  const [text, inForce] = await Promise.all([
    findVersionText(projectId, digest),
    findConfigInForce(projectId, digest, environment),
  ])
  const not = (why: string): Missing => ({ what: 'config', why })
  if (text === null) return not(`The config version ${digest} is not stored in this project.`)
  const document: Carried['document'] = JSON.parse(text)
  if (computeDigest(document) !== digest)
    return not(`The stored text of the config version ${digest} does not have this digest.`)
  return { digest, version: inForce?.number ?? null, document }
}

const NO_CONFIG: Missing = {
  what: 'config',
  why: 'The session ran without a config of this project, so there is nothing to decide by.',
}

async function buildPortableHead(
  projectId: AuthorizedProjectId,
  subject: Subject,
  { log, now }: { readonly log: CarriedLog; readonly now: number },
): Promise<PortableHeadV1> {
  const { kind, id, path, session, sdk, seq, at } = subject
  const { environment, ns, key } = session
  const named = log.text.count === 0 ? [session.configDigest] : log.digests
  const digests = [...new Set(named.filter((digest) => digest !== null))]
  const found = await Promise.all(
    digests.map((digest) => carriedConfig(projectId, digest, environment)),
  )
  const configs = found.filter((one) => 'document' in one)
  const lost = found.filter((one) => 'why' in one)
  return {
    portable_bundle_version: 1,
    kind,
    id,
    url: `${env().SIGNALBOX_URL}${path}`,
    made_at: now,
    engine: ENGINE_VERSION,
    runtime: sdk,
    project: await findProjectSlug(projectId),
    environment,
    ns,
    key,
    session: session.id,
    seq,
    at,
    configs,
    missing: [...log.missing, ...lost, ...(digests.length === 0 ? [NO_CONFIG] : [])],
    redacted: log.redacted,
    reading: subject.read(log.record),
  }
}

type BundleText = AsyncGenerator<string>

async function buildPortableBundle(
  scope: ProjectScope,
  subject: Subject,
  now: number,
): Promise<BundleText> {
  const { projectId } = scope
  const place = await findLogPlace(projectId, subject.session.id)
  if (place === null)
    throw new ServiceError('not_found', `There is no ${subject.kind} ${subject.id}.`)
  const log = await carriedLog(place, subject.seq)
  const head = await buildPortableHead(projectId, subject, { log, now })
  const { seed } = await activePair(projectId)
  const { count } = log.text
  const { pieces, digest } = log.text.end()
  const { first, last } = portableEnds(head, { digest, count }, seed)
  return inPieces([`${first}\n`, ...pieces, `${last}\n`])
}

async function* inPieces(pieces: readonly string[]): BundleText {
  yield* pieces
}

/** A stop whose event was removed still has its result in its row. */
function rowReading({ stop }: StopExplanation): DecisionReading {
  const { verdict, reason: sentence } = stop
  return { verdict, sentence, message: null, steps: [], checks: null, rules: [] }
}

/** Rejects with `not_found` when the project has no such stop, with `invalid` when the log is too large. `now` in epoch ms. */
export async function stopBundle(
  scope: ProjectScope,
  id: string,
  now: number,
): Promise<BundleText> {
  const explanation = await stopExplanation(scope, id)
  const { stop, session, sdk, computed } = explanation
  const subject: Subject = {
    kind: 'stop',
    id,
    path: `/stops/${id}`,
    session,
    sdk,
    seq: stop.seq,
    at: stop.at,
    read: (record) =>
      record?.type === 'stop.decided'
        ? stopReading(record.data, computed?.unblock ?? null)
        : rowReading(explanation),
  }
  return await buildPortableBundle(scope, subject, now)
}

export async function decisionBundle(
  scope: ProjectScope,
  id: string,
  now: number,
): Promise<BundleText> {
  const explanation = await explainDecision(scope, id)
  if (explanation.kind !== 'call')
    throw new ServiceError('not_found', `There is no decision about a call ${id}.`)
  const { session, sdk, seq, at, decision, allow } = explanation
  const subject: Subject = {
    kind: 'decision',
    id,
    path: `/decisions/${id}`,
    session,
    sdk,
    seq,
    at,
    read: () => callReading(decision, allow),
  }
  return await buildPortableBundle(scope, subject, now)
}

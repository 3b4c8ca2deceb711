import { type ConfigDocument, compileConfig, type SessionEvent } from '@signalbox/core'
import { stopReading } from '@signalbox/core/analysis'
import { recordedLog } from '@signalbox/testkit'
import {
  canonicalJson,
  computeDigest,
  eventHash,
  type PortableHeadV1,
  sealPortableBundle,
} from '@signalbox/wire'

/** Any 32 bytes as base64url. */
export const SEED = 'A'.repeat(43)

export const DOCUMENT: ConfigDocument = {
  schema_version: 1,
  ns: 'demo',
  key: 'notes',
  policies: [{ id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }],
  task_completion_checker: {
    id: 'done',
    type: 'composite',
    all_must_pass: true,
    checkers: [
      { id: 'plan', type: 'plan' },
      { id: 'tested', type: 'tool_succeeded', tool: 'test' },
    ],
  },
}

const SESSION = 'sess_1'
const DIGEST = computeDigest(DOCUMENT)

const drafts = (
  [
    [
      'session.started',
      { ns: 'demo', key: 'notes', environment: 'dev', harness: { name: 'test' } },
    ],
    [
      'plan.updated',
      {
        steps: [
          { title: 'Write', status: 'done' },
          { title: 'Prüfen ✓', status: 'pending' },
        ],
      },
    ],
    ['tool.requested', { call_id: 'c1', tool: 'deploy', args: { to: { $redacted: 'secrets' } } }],
    ['tool.invoked', { call_id: 'c1', tool: 'deploy', outcome: 'denied' }],
    ['stop.attempted', { via: 'turn_end', stop_reason: 'end_turn', facts: { files: {} } }],
  ] as const
).map(
  // Type and data belong together, but the map loses that relation.
  ([type, data], index) =>
    ({
      session: SESSION,
      seq: index + 1,
      at: 1_795_000_000_000 + index,
      type,
      data,
    }) as SessionEvent,
)

export function chained(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const done: SessionEvent[] = []
  for (const event of events) {
    const before = done.at(-1)
    const prev = before === undefined ? {} : { prev: eventHash(before) }
    done.push({ ...event, config: DIGEST, ...prev })
  }
  return done
}

function compiled() {
  const result = compileConfig(DOCUMENT)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

export const LOG: readonly SessionEvent[] = chained(recordedLog(compiled(), drafts))

export function headFor(log: readonly SessionEvent[]): PortableHeadV1 {
  const last = log.at(-1)
  if (last?.type !== 'stop.decided') throw new Error('The log ends with another event.')
  return {
    portable_bundle_version: 1,
    kind: 'stop',
    id: `stop_1_${last.seq}`,
    url: 'http://127.0.0.1:3000/stops/stop_1',
    made_at: 1_795_000_100_000,
    engine: '0.1.0',
    runtime: null,
    project: 'default',
    environment: 'dev',
    ns: 'demo',
    key: 'notes',
    session: SESSION,
    seq: last.seq,
    at: last.at,
    configs: [{ digest: DIGEST, version: 1, document: JSON.parse(JSON.stringify(DOCUMENT)) }],
    missing: [],
    redacted: 1,
    reading: stopReading(last.data, null),
  }
}

export function sealed(
  head: PortableHeadV1 = headFor(LOG),
  events: readonly SessionEvent[] = LOG,
  seed: string = SEED,
): Uint8Array {
  return new TextEncoder().encode(sealPortableBundle(head, events.map(canonicalJson), seed))
}

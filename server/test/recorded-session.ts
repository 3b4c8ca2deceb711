// Every draft is followed by the decisions that core makes of it. Tests only.
import { compileConfig, initialState, type SessionEvent, step } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { digestTakenBy, takeOver } from '@signalbox/core/tighten'
import { computeDigest, eventHash, parseConfigText } from '@signalbox/wire'
import { database } from '@/server/platform/db/client.ts'
import { freshId } from '@/server/platform/ids.ts'
import type { Draft } from './installation.ts'

export interface Release {
  readonly digest: string
  readonly text: string
}

export async function firstRelease(): Promise<Release> {
  const { digest, text } = await database().prisma.configVersion.findFirstOrThrow()
  return { digest, text }
}

export async function nextRelease(fields: object): Promise<Release> {
  const newest = await database().prisma.configVersion.findFirstOrThrow({
    orderBy: { number: 'desc' },
  })
  const { id: _id, createdAt: _createdAt, ...version } = newest
  const document = { ...JSON.parse((await firstRelease()).text), ...fields }
  const release = { digest: computeDigest(document), text: JSON.stringify(document) }
  await database().prisma.configVersion.create({
    data: { ...version, ...release, document, id: freshId('ver'), number: version.number + 1 },
  })
  return release
}

export interface Recording {
  readonly session: string
  /** Epoch ms of the first event; one every 10 ms. */
  readonly at: number
  /** Absent: the events name no config. */
  readonly release?: Release
  /** Versions that it takes over with a draft of `config.applied`. */
  readonly taken?: readonly Release[]
}

function compileConfigText(text: string) {
  const parsed = parseConfigText(text)
  const compiled = parsed.ok
    ? compileConfig(parsed.document, { expressions: celExpressions() })
    : parsed
  if (!compiled.ok) throw new Error('The config does not compile.')
  return compiled.config
}

export function recordedSession(
  { session, at, release, taken = [] }: Recording,
  drafts: readonly Draft[],
): readonly SessionEvent[] {
  let config = compileConfigText(release?.text ?? '{"schema_version":1,"ns":"none","key":"none"}')
  let digest = release?.digest ?? null
  const events: SessionEvent[] = []
  let state = initialState(config.promptName)
  const record = (draft: { readonly type: string; readonly data: object }): void => {
    const previous = events.at(-1)
    const envelope = { session, seq: events.length + 1, at: at + events.length * 10 }
    const prev = previous === undefined ? {} : { prev: eventHash(previous) }
    // The draft's type and data belong together; only the spread loses that type.
    const body = { ...envelope, ...draft } as SessionEvent
    const next = taken.find((one) => one.digest === digestTakenBy(body, digest))
    if (next !== undefined) {
      const before = config
      config = compileConfigText(next.text)
      state = takeOver(before, config, state)
      digest = next.digest
    }
    const event = { ...body, ...(digest === null ? {} : { config: digest }), ...prev }
    events.push(event)
    const judged = step(config, state, event)
    state = judged.state
    for (const effect of judged.effects) {
      if (effect.kind === 'anomaly') continue
      const delivery = effect.kind === 'feedback.delivered' ? { delivery: 'message' } : {}
      record({ type: effect.kind, data: { ...effect.data, ...delivery } })
    }
  }
  for (const draft of drafts) record(draft)
  return events
}

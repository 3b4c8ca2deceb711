// Every version has the digest of its config, numbers have no gaps, logs contain their decisions. `invalid` names the place in the file.
import type { SessionEvent } from '@signalbox/core'
import { FOLDED_EVENT_TYPES } from '@signalbox/core/analysis'
import {
  type Claim,
  computeDigest,
  type ExportedCase,
  type ExportedConfig,
  type ExportedLog,
  type ExportV1,
  parseConfigText,
  parseEvent,
} from '@signalbox/wire'
import { explainMisfit } from '@/server/backtests/decided.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'

type ExportedVersion = ExportedConfig['versions'][number]

export interface ReadConfig {
  readonly ns: string
  readonly key: string
  readonly archived: boolean
  readonly live: ExportedConfig['live']
  readonly versions: readonly (ExportedVersion & {
    readonly document: Extract<ReturnType<typeof parseConfigText>, { ok: true }>['value']
  })[]
  readonly cases: readonly ExportedCase[]
  readonly claims: readonly Claim[]
}

export interface ReadFile {
  readonly configs: readonly ReadConfig[]
  /** Logs of sessions with a case, up to the event `upTo` of the last case. */
  readonly logs: readonly (ExportedLog & { readonly upTo: number })[]
}

/** Throws `invalid`. */
export function readFile({ configs, logs = [] }: ExportV1): ReadFile {
  const asked = new Map<string, Asked>()
  for (const [index, log] of logs.entries()) {
    const pointer = `/document/logs/${index}`
    if (asked.has(log.session)) {
      throw new ServiceError('invalid', `The log of ${log.session} is in the file twice.`, pointer)
    }
    asked.set(log.session, readLog(log, pointer))
  }
  const names = new Set<string>()
  const lastSeqInFile = new Map<string, number>()
  const read = configs.map((config, index) => {
    const name = `${config.ns}/${config.key}`
    const pointer = `/document/configs/${index}`
    if (names.has(name)) throw new ServiceError('invalid', `${name} is in the file twice.`, pointer)
    names.add(name)
    const { ns, key, archived, live, cases = [], claims = [] } = config
    const versions = config.versions.map((version, place) => ({
      ...version,
      document: readVersion(config, place, `${pointer}/versions/${place}`),
    }))
    for (const [place, one] of cases.entries()) {
      requireCase(one, asked.get(one.session), `${pointer}/cases/${place}`)
      lastSeqInFile.set(one.session, Math.max(one.seq, lastSeqInFile.get(one.session) ?? 0))
    }
    return { ns, key, archived, live, versions, cases, claims }
  })
  const needed = logs.flatMap(({ session, events }) => {
    const upTo = lastSeqInFile.get(session)
    if (upTo === undefined) return []
    return [{ session, upTo, events: events.filter(({ seq }) => seq <= upTo) }]
  })
  return { configs: read, logs: needed }
}

function readVersion({ ns, key, versions }: ExportedConfig, place: number, pointer: string) {
  const version = versions[place]
  const refused = (problem: string) =>
    new ServiceError('invalid', `v${version?.number} of ${ns}/${key} ${problem}`, pointer)
  const expected = place + 1
  if (version?.number !== expected) {
    throw refused(`stands where v${expected} should be. Versions go from 1 on, without holes.`)
  }
  const parsed = parseConfigText(version.text)
  if (!parsed.ok) {
    const why = parsed.problems[0]?.message ?? ''
    throw refused(`is not a config that this server reads: ${why}`)
  }
  const { document, value } = parsed
  if (document.ns !== ns || document.key !== key) {
    throw refused(`names the prompt ${document.ns}/${document.key}.`)
  }
  if (computeDigest(value) !== version.digest) {
    throw refused('does not have the digest that stands beside it.')
  }
  return value
}

const FOLDED: readonly string[] = FOLDED_EVENT_TYPES

interface Asked {
  readonly calls: ReadonlyMap<string, number>
  readonly stop: number
}

function readLog({ session, events }: ExportedLog, pointer: string): Asked {
  const calls = new Map<string, number>()
  let [last, stop] = [0, Number.POSITIVE_INFINITY]
  for (const [place, given] of events.entries()) {
    const field = `${pointer}/events/${place}`
    const event = readEvent({ session, ...given }, field)
    if (event.seq <= last) {
      throw new ServiceError('invalid', `Event ${event.seq} comes after ${last}.`, field)
    }
    last = event.seq
    if (event.type === 'tool.requested') calls.set(event.data.call_id, event.seq)
    if (event.type === 'stop.attempted') stop = Math.min(stop, event.seq)
  }
  return { calls, stop }
}

function readEvent(given: object, pointer: string): SessionEvent {
  const parsed = parseEvent(given)
  if (!parsed.ok) throw new ServiceError('invalid', parsed.problem.message, pointer)
  if (parsed.known && FOLDED.includes(parsed.event.type)) return parsed.event
  throw new ServiceError(
    'invalid',
    `The log of a case has no events of the type ${parsed.event.type}.`,
    pointer,
  )
}

function requireCase(one: ExportedCase, log: Asked | undefined, pointer: string): void {
  const { session, seq, kind, call_id: callId } = one
  const asked = kind === 'stop' ? log?.stop : log?.calls.get(callId ?? '')
  if (asked === undefined || asked > seq) {
    const missing = `The file's logs hold no ${kind} before event ${seq} of ${session}.`
    throw new ServiceError('invalid', missing, pointer)
  }
  for (const field of ['recorded', 'expected'] as const) {
    const misfit = explainMisfit(kind, one[field])
    if (misfit !== null) throw new ServiceError('invalid', misfit, `${pointer}/${field}`)
  }
}

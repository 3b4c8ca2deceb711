// Counts of Analytics (specs/analytics.md): a series is a kind with up to three names, for one prompt, version and environment. Pure.
import { hash } from 'node:crypto'
import { storableText } from '@/server/platform/sql/storable-text.ts'

/**
 * `a`, `b`, `c` of each kind:
 * session: none; ended: reason; call: decision; denial: rule, tool, code; would_deny: rule, tool, code of the first shadow rule that
 * would have denied an allowed call; content: rule, tool, action;
 * allowed_later: code and tool of a denied call that was allowed later; stop: verdict, code, via; until: attempts, `5` for
 * more; feedback: provider, its name, severity; act: provider, its name, outcome; time_used: tenth of the deadline, `11` for more;
 * plan_end: `none`, or quarters done with `5` for all.
 */
export type SeriesKind =
  | 'session'
  | 'ended'
  | 'call'
  | 'denial'
  | 'would_deny'
  | 'content'
  | 'allowed_later'
  | 'stop'
  | 'until'
  | 'feedback'
  | 'act'
  | 'time_used'
  | 'plan_end'

export interface SeriesNames {
  readonly kind: SeriesKind
  readonly a: string
  readonly b: string
  readonly c: string
}

export interface Series extends SeriesNames {
  readonly projectId: string
  readonly environment: string
  readonly ns: string
  readonly key: string
  readonly digest: string
}

export interface RollupRow {
  readonly series: Series
  readonly id: string
  /** Start of the hour, epoch ms. */
  readonly hour: number
  readonly count: number
}

const HOUR = 3_600_000
/** Ids and tool names of configs are far shorter. */
const LONGEST_NAME = 200
const MOST_IDS = 20_000

/** Series that this process wrote repeat in nearly every batch, so their ids are kept. */
const ids = new Map<string, string>()

function internSeriesId(text: string): string {
  const known = ids.get(text)
  if (known !== undefined) return known
  const hex = hash('sha256', text, 'hex')
  const id = [8, 12, 16, 20, 32].map((end, i) => hex.slice([0, 8, 12, 16, 20][i], end)).join('-')
  if (ids.size >= MOST_IDS) ids.clear()
  ids.set(text, id)
  return id
}

export function toSeriesName(text: string): string {
  return storableText(text.length > LONGEST_NAME ? text.slice(0, LONGEST_NAME) : text)
}

interface Tally {
  readonly series: Series
  readonly id: string
  readonly hours: Map<number, number>
}

export class RollupCounts {
  readonly #place: { readonly projectId: string; readonly environment: string }
  readonly #tallies = new Map<string, Tally>()

  constructor(place: { readonly projectId: string; readonly environment: string }) {
    this.#place = place
  }

  add(
    prompt: { readonly ns: string; readonly key: string; readonly digest: string },
    at: number,
    names: {
      readonly kind: SeriesKind
      readonly a?: string
      readonly b?: string
      readonly c?: string
    },
  ): void {
    const { kind, a = '', b = '', c = '' } = names
    const { projectId, environment } = this.#place
    const { ns, key, digest } = prompt
    const parts = [
      projectId,
      environment,
      ns,
      key,
      digest,
      kind,
      toSeriesName(a),
      toSeriesName(b),
      toSeriesName(c),
    ]
    const text = JSON.stringify(parts)
    const tally = this.#tallies.get(text) ?? {
      series: {
        projectId,
        environment,
        ns,
        key,
        digest,
        kind,
        a: toSeriesName(a),
        b: toSeriesName(b),
        c: toSeriesName(c),
      },
      id: internSeriesId(text),
      hours: new Map<number, number>(),
    }
    this.#tallies.set(text, tally)
    const hour = Math.floor(at / HOUR) * HOUR
    tally.hours.set(hour, (tally.hours.get(hour) ?? 0) + 1)
  }

  /** Each (series, hour) once, in one order for all writers. */
  rows(): readonly RollupRow[] {
    return [...this.#tallies.values()]
      .flatMap(({ series, id, hours }) =>
        [...hours].map(([hour, count]) => ({ series, id, hour, count })),
      )
      .sort((x, y) => (x.id < y.id ? -1 : x.id > y.id ? 1 : x.hour - y.hour))
  }
}

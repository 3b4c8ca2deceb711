// Folded in the browser by core from a nearby state that the server stored (specs/time-travel.md).
// A stretch of events is loaded once and all its states are kept. No React; the caller provides the network.
import type { CompiledConfig, SessionEvent } from '@signalbox/core'
import { changedParts } from '@signalbox/core/analysis'
import { restoreState, type StateSnapshot } from '@signalbox/core/snapshot'
import {
  digestTakenBy,
  type FindConfig,
  type GovernedState,
  governedStep,
} from '@signalbox/core/tighten'
import type { FoldAt, FoldEntry, FoldPage } from '@/server/sessions/log/fold-source.ts'
import { compileVersion, NO_CONFIG } from './compile-version.ts'

/** Every call may reject. */
export interface TimelineSource {
  readonly fold: (seq: number) => Promise<FoldAt>
  readonly events: (afterSeq: number, toSeq: number) => Promise<FoldPage>
  /** JSON text of a version's document; null: not known to the server. */
  readonly config: (digest: string) => Promise<string | null>
}

export interface Moment extends GovernedState {
  readonly harnessMaxBlocks: number | null
}

interface Stretch {
  readonly from: number
  /** Consecutive states: `states[i]` is the state after event `from + i`. */
  readonly states: Moment[]
  /** The load in progress; loads of one stretch run one after another. */
  busy: Promise<void>
  /** First events, requested together with the first state; null: used. */
  ahead: Promise<FoldPage> | null
}

/** The server stores folds at its multiples (server/ingest/verify.ts), so that it need not fold for a request. */
const SPAN = 500
/** About 0.5 MB each: states share unchanged parts. */
const MOST_STRETCHES = 48

export type LoadTimeline = () => Promise<Timeline>

export class Timeline {
  readonly #session: string
  readonly #source: TimelineSource
  /** By first sequence number; the most recently used stretch is last. */
  readonly #stretches = new Map<number, Stretch>()
  readonly #begun = new Map<number, Promise<Stretch>>()
  readonly #versions = new Map<string, CompiledConfig>()
  #customTypes: readonly string[] = []

  constructor(session: string, source: TimelineSource) {
    this.#session = session
    this.#source = source
  }

  /** Null: not loaded. */
  peek(seq: number): Moment | null {
    const stretch = this.#stretches.get(alignToSpan(seq))
    const found = stretch?.states[seq - stretch.from] ?? null
    if (stretch !== undefined && found !== null) this.#use(stretch)
    return found
  }

  /** The state after `seq`, or after the last event before the first gap. Rejects if the server cannot be reached. */
  async load(seq: number): Promise<Moment> {
    const known = this.peek(seq)
    if (known !== null) return known
    const start = alignToSpan(seq)
    const stretch = this.#stretches.get(start) ?? (await this.#beginOnce(start))
    if (stretch.from < start) return await this.load(stretch.from)
    const isThere = (): boolean => stretch.states[seq - start] !== undefined
    stretch.busy = stretch.busy
      .catch(() => undefined)
      // An earlier request may have loaded it.
      .then(() => (isThere() ? undefined : this.#extend(stretch)))
    await stretch.busy
    const found = stretch.states[seq - start] ?? stretch.states.at(-1)
    if (found === undefined) throw new Error('A stretch begins with a state.')
    return found
  }

  /** Null: no change up to `end`. Loads the states in between. */
  async nextChange(from: number, direction: 1 | -1, end: number): Promise<number | null> {
    const isInside = (seq: number): boolean =>
      direction === 1 ? seq <= end : seq >= Math.max(1, end)
    for (let seq = from + direction; isInside(seq); seq += direction) {
      const after = this.peek(seq) ?? (await this.load(seq))
      if (after.state.seq !== seq) return null
      const before = this.peek(seq - 1) ?? (await this.load(seq - 1))
      if (changedParts(before, after).length > 0) return seq
    }
    return null
  }

  /** Concurrent requests share one load. */
  #beginOnce(from: number): Promise<Stretch> {
    const begun = this.#begun.get(from) ?? this.#begin(from)
    this.#begun.set(from, begun)
    const forget = (): void => void this.#begun.delete(from)
    begun.then(forget, forget)
    return begun
  }

  async #begin(from: number): Promise<Stretch> {
    const ahead = this.#source.events(from, from + SPAN - 1)
    // The consumer handles the failure; this prevents an unhandled rejection.
    ahead.catch(() => undefined)
    const folded = await this.#source.fold(from)
    this.#customTypes = folded.customTypes
    const config = folded.digest === null ? null : await this.#version(folded.digest)
    const state = restoreState(readState(folded.state))
    const first: Moment = {
      state,
      config: config ?? NO_CONFIG,
      digest: config === null ? null : folded.digest,
      harnessMaxBlocks: folded.harnessMaxBlocks,
    }
    // If events in between are missing, the stretch ends before `from` and is not kept under that number.
    const isHere = folded.seq === from
    const stretch: Stretch = {
      from: folded.seq,
      states: [first],
      busy: Promise.resolve(),
      ahead: isHere ? ahead : null,
    }
    if (isHere) this.#use(stretch)
    return stretch
  }

  #use(stretch: Stretch): void {
    this.#stretches.delete(stretch.from)
    this.#stretches.set(stretch.from, stretch)
    if (this.#stretches.size <= MOST_STRETCHES) return
    // A Map iterates in insertion order, so the first key is the least recently used.
    for (const oldest of this.#stretches.keys()) {
      this.#stretches.delete(oldest)
      return
    }
  }

  async #extend(stretch: Stretch): Promise<void> {
    const { from, states } = stretch
    const end = from + SPAN - 1
    for (;;) {
      const last = states.at(-1)
      if (last === undefined || last.state.seq >= end) return
      const { ahead } = stretch
      stretch.ahead = null
      const page = await (ahead ?? this.#source.events(last.state.seq, end))
      const events = page.events.map((entry) => parseFoldEntry(this.#session, entry))
      if (events.length === 0) return
      const find = await this.#versionsIn(events, last)
      let at: Moment = last
      for (const event of events) {
        const { state, config, digest } = governedStep(at, event, find)
        at = { state, config, digest, harnessMaxBlocks: at.harnessMaxBlocks }
        states.push(at)
      }
      if (at.state.seq >= page.contiguousSeq) return
    }
  }

  async #version(digest: string): Promise<CompiledConfig | null> {
    const known = this.#versions.get(digest)
    if (known !== undefined) return known
    const text = await this.#source.config(digest)
    const config = text === null ? null : await compileVersion(text, this.#customTypes)
    // An unknown version is not cached, because it may be published later.
    if (config !== null) this.#versions.set(digest, config)
    return config
  }

  async #versionsIn(
    events: readonly SessionEvent[],
    { digest: current, config }: Moment,
  ): Promise<FindConfig> {
    const versions = new Map<string, CompiledConfig | null>()
    if (current !== null) versions.set(current, config)
    for (const event of events) {
      const digest = digestTakenBy(event, current)
      if (digest !== null && !versions.has(digest))
        versions.set(digest, await this.#version(digest))
    }
    return (digest) => versions.get(digest) ?? null
  }
}

function alignToSpan(seq: number): number {
  return seq - (seq % SPAN)
}

function readState(text: string): StateSnapshot {
  // Written by the server's snapshotState; restoreState checks its version.
  return JSON.parse(text) as StateSnapshot
}

function parseFoldEntry(session: string, [seq, at, type, data]: FoldEntry): SessionEvent {
  // The wire schema accepted the stored events; the server left out what a fold does not read (`foldedPart` of core).
  return { session, seq, at, type, data: data === null ? {} : JSON.parse(data) } as SessionEvent
}

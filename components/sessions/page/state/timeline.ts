// Folded in the browser by core from a nearby state that the server stored (specs/time-travel.md).
// A stretch of events is loaded once and all its states are kept. No React; the caller provides the network.
import type { CompiledConfig, SessionEvent } from '@signalbox/core'
import { changedParts, conditionSettler } from '@signalbox/core/analysis'
import { restoreState, type StateSnapshot } from '@signalbox/core/snapshot'
import {
  digestTakenBy,
  type FindConfig,
  type GovernedState,
  governedStep,
} from '@signalbox/core/tighten'
import type { FoldAt, FoldEntry, FoldPage } from '@/server/sessions/log/fold-source.ts'
import { NO_CONFIG, VersionCompiler } from './compile-version.ts'

export interface AskedEvents {
  readonly toSeq: number
  /** True: with the values of the events' conditions. */
  readonly conditions: boolean
}

/** Every call may reject. */
export interface TimelineSource {
  readonly fold: (seq: number, events: AskedEvents) => Promise<FoldAt>
  readonly events: (afterSeq: number, events: AskedEvents) => Promise<FoldPage>
  /** JSON text of a version's document; null: not known to the server. */
  readonly config: (digest: string) => Promise<string | null>
}

/** The conditions of the checker in `config` have the values of this moment. */
export interface Moment extends GovernedState {
  readonly harnessMaxBlocks: number | null
}

interface Events {
  readonly page: FoldPage
  readonly hasConditions: boolean
}

interface Stretch {
  readonly from: number
  /** Consecutive states: `states[i]` is the state after event `from + i`. */
  readonly states: Moment[]
  /** The load in progress; loads of one stretch run one after another. */
  busy: Promise<void>
  /** First events, loaded together with the first state; null: used. */
  ahead: Events | null
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
  readonly #settlers = new WeakMap<CompiledConfig, ReturnType<typeof conditionSettler>>()
  readonly #compiler = new VersionCompiler()
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
    const { hasConditions } = this.#compiler
    const events = { toSeq: from + SPAN - 1, conditions: hasConditions }
    const folded = await this.#source.fold(from, events)
    this.#customTypes = folded.customTypes
    const config = folded.digest === null ? null : await this.#version(folded.digest)
    // The first version with conditions was not known when its state was requested.
    if (this.#compiler.hasConditions && !hasConditions) return await this.#begin(from)
    const state = restoreState(readState(folded.state))
    this.#compiler.give(folded.conditions)
    const first: Moment = {
      state,
      config: this.#settle(config ?? NO_CONFIG)(state),
      digest: config === null ? null : folded.digest,
      harnessMaxBlocks: folded.harnessMaxBlocks,
    }
    // If events in between are missing, the stretch ends before `from` and is not kept under that number.
    const isHere = folded.seq === from
    const stretch: Stretch = {
      from: folded.seq,
      states: [first],
      busy: Promise.resolve(),
      ahead: isHere ? { page: folded.page, hasConditions } : null,
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

  async #load(afterSeq: number, toSeq: number): Promise<Events> {
    const { hasConditions } = this.#compiler
    const page = await this.#source.events(afterSeq, { toSeq, conditions: hasConditions })
    return { page, hasConditions }
  }

  async #extend(stretch: Stretch): Promise<void> {
    const { from, states } = stretch
    const end = from + SPAN - 1
    for (;;) {
      const last = states.at(-1)
      if (last === undefined || last.state.seq >= end) return
      const { ahead } = stretch
      stretch.ahead = null
      const { page, hasConditions } = ahead ?? (await this.#load(last.state.seq, end))
      const events = page.events.map((entry) => parseFoldEntry(this.#session, entry))
      if (events.length === 0) return
      const find = await this.#versionsIn(events, { ...last, config: this.#findUnsettled(last) })
      // The first version with conditions was not known when the events were requested.
      if (this.#compiler.hasConditions && !hasConditions) continue
      let at: GovernedState = { ...last, config: this.#findUnsettled(last) }
      for (const [i, event] of events.entries()) {
        this.#compiler.give(page.events[i]?.[4] ?? [])
        at = governedStep(at, event, find)
        const { state, digest } = at
        const config = this.#settle(at.config)(state)
        states.push({ state, config, digest, harnessMaxBlocks: last.harnessMaxBlocks })
      }
      if (at.state.seq >= page.contiguousSeq) return
    }
  }

  #settle(config: CompiledConfig): ReturnType<typeof conditionSettler> {
    const known = this.#settlers.get(config)
    if (known !== undefined) return known
    const settle = conditionSettler(config)
    this.#settlers.set(config, settle)
    return settle
  }

  #findUnsettled({ digest, config }: Moment): CompiledConfig {
    return (digest === null ? undefined : this.#versions.get(digest)) ?? config
  }

  async #version(digest: string): Promise<CompiledConfig | null> {
    const known = this.#versions.get(digest)
    if (known !== undefined) return known
    const text = await this.#source.config(digest)
    const config = text === null ? null : this.#compiler.compile(text, this.#customTypes)
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

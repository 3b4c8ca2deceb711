// Same events, own state, no effect on the agent: live answers never wait for it, and a failure ends only the shadow version.
import {
  type CompiledConfig,
  type Effect,
  initialState,
  type SessionEvent,
  type SessionState,
  type ShadowDiffered,
  type ShadowStarted,
  step,
} from '@signalbox/core'
import { decisionDifferences } from '@signalbox/core/analysis'
import { canonicalJson } from '@signalbox/wire'
import { describeError } from '../base/guardrail-error.ts'
import { awaitedSleep } from '../base/sleep.ts'
import type { AppliedConfig } from '../control-plane/applied-config.ts'
import type { AskingEvent, FactFinder } from '../facts/fact-finder.ts'
import { ruleDocuments } from '../facts/rule-documents.ts'
import { shadowDifference } from './shadow-difference.ts'

/** Differences recorded per session. At this number the shadow version stops, so that it cannot fill the log of a long session. */
const MOST_DIFFERENCES = 100
const MOST_WAITING = 1000

export interface ShadowParts {
  readonly shadow: AppliedConfig
  readonly live: CompiledConfig
  readonly facts: FactFinder
}

export interface ShadowListener {
  differed(difference: ShadowDiffered): void
  stopped(reason: string): void
}

export class ShadowFold {
  readonly identity: ShadowStarted
  readonly #parts: ShadowParts
  readonly #shared: ReadonlySet<string>
  #listener: ShadowListener | null = null
  #state: SessionState
  #queue: Promise<void> = Promise.resolve()
  #waiting = 0
  #differences = 0
  /** Sequence number of the first event after which the agent would have acted differently; null: none yet. */
  #divergedAt: number | null = null
  #over = false

  constructor(parts: ShadowParts) {
    const { version, digest, config } = parts.shadow
    this.#parts = parts
    this.identity = { version, digest }
    this.#state = initialState(config.promptName)
    this.#shared = sharedRules(parts.live, config)
  }

  listen(listener: ShadowListener): void {
    this.#listener = listener
  }

  /** `effects`: the live version's effects of the event. `args`: arguments of a request before redaction. Returns at once. */
  observe(event: SessionEvent, effects: readonly Effect[], args?: unknown): void {
    if (this.#over) return
    if (this.#waiting >= MOST_WAITING) {
      this.stop(`It lagged ${MOST_WAITING} events behind the session.`)
      return
    }
    this.#waiting += 1
    this.#queue = this.#queue.then(() => this.#take(event, effects, args))
  }

  /** Resolves when all observed events are evaluated, or after `ms`, when it stops. */
  async settled(ms: number): Promise<void> {
    if (this.#waiting === 0) return
    const done = new AbortController()
    await Promise.race([this.#queue, awaitedSleep(ms, done.signal)])
    done.abort()
    if (this.#waiting > 0) this.stop('It had not evaluated every event when the session ended.')
  }

  stop(reason: string): void {
    if (this.#over) return
    this.#over = true
    this.#listener?.stopped(reason)
  }

  async #take(event: SessionEvent, live: readonly Effect[], args: unknown): Promise<void> {
    try {
      if (!this.#over) await this.#judge(event, live, args)
    } catch (error) {
      this.stop(describeError(error))
    } finally {
      this.#waiting -= 1
    }
  }

  async #judge(event: SessionEvent, live: readonly Effect[], args: unknown): Promise<void> {
    const { shadow, facts } = this.#parts
    const asked = isAsking(event) ? this.#withSharedFacts(event) : event
    const known = isAsking(asked) ? await facts.complete(this.#state, asked, args) : asked
    if (this.#over) return
    const next = step(shadow.config, this.#state, known)
    this.#state = next.state
    for (const difference of decisionDifferences(event.seq, live, next.effects)) {
      const found = shadowDifference(difference)
      if (found !== null) this.#found(found, known !== asked)
    }
  }

  #found(found: Omit<ShadowDiffered, 'version' | 'digest' | 'fidelity'>, ownFacts: boolean): void {
    if (this.#over) return
    const isLate = this.#divergedAt !== null && found.of > this.#divergedAt
    this.#divergedAt ??= found.of
    this.#differences += 1
    this.#listener?.differed({
      ...this.identity,
      ...found,
      fidelity: isLate ? 'approximate' : 'exact',
      ...(ownFacts ? { own_facts: true } : {}),
    })
    if (this.#differences >= MOST_DIFFERENCES)
      this.stop(`It differed ${MOST_DIFFERENCES} times, the most that is recorded for one session.`)
  }

  /** Keeps answers only for rules that are the same in both versions. Facts about files are the same for both. */
  #withSharedFacts(event: AskingEvent): AskingEvent {
    const { facts } = event.data
    if (facts?.answers === undefined) return event
    const answers = Object.fromEntries(
      Object.entries(facts.answers).filter(([rule]) => this.#shared.has(rule)),
    )
    // Only `facts` changes, which each of these three events may have.
    return { ...event, data: { ...event.data, facts: { ...facts, answers } } } as AskingEvent
  }
}

function isAsking(event: SessionEvent): event is AskingEvent {
  return (
    event.type === 'tool.requested' ||
    event.type === 'tool.invoked' ||
    event.type === 'stop.attempted'
  )
}

function sharedRules(live: CompiledConfig, shadow: CompiledConfig): ReadonlySet<string> {
  const ours = ruleDocuments(shadow.document)
  const same = [...ruleDocuments(live.document)].filter(([id, document]) => {
    const other = ours.get(id)
    return other !== undefined && canonicalJson(other) === canonicalJson(document)
  })
  return new Set(same.map(([id]) => id))
}

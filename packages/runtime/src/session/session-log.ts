// Records the events of one session, and folds them with core: an event is written first, then folded.
import {
  type CompiledConfig,
  type Effect,
  type EventOf,
  type EventType,
  initialState,
  type SessionEvent,
  type SessionState,
  step,
} from '@signalbox/core'
import { rememberOrder } from '@signalbox/core/host'
import { takeOver } from '@signalbox/core/tighten'
import type { AskingEvent, FactFinder } from '../facts/fact-finder.ts'
import type { Recorder } from './recorder.ts'
import type { ShadowFold } from './shadow-fold.ts'

export interface Judging {
  readonly config: CompiledConfig
  readonly facts: FactFinder
}

export interface SessionLogParts {
  /** null: nothing is evaluated, and events are only written. */
  readonly judge: Judging | null
  readonly recorder: Recorder
  /** State after the events recorded so far; null: there are none. */
  readonly state: SessionState | null
  /** null: there is no shadow version. */
  readonly shadow: ShadowFold | null
}

export class SessionLog {
  readonly #parts: SessionLogParts
  #judge: Judging | null
  #state: SessionState

  constructor(parts: SessionLogParts) {
    this.#parts = parts
    this.#judge = parts.judge
    this.#state = parts.state ?? initialState(parts.judge?.config.promptName ?? '')
  }

  /** Digest of the version in force; null: none is. */
  get digest(): string | null {
    return this.#parts.recorder.config
  }

  /** Sequence number of the last recorded event; 0: none. */
  get seq(): number {
    return this.#parts.recorder.seq
  }

  /** Version in force; null: none is. */
  get config(): CompiledConfig | null {
    return this.#judge?.config ?? null
  }

  get state(): SessionState {
    return this.#state
  }

  /** Records an event that needs no facts, and folds it. Throws, and changes nothing, if the event cannot be written. */
  record<Type extends EventType>(type: Type, data: EventOf<Type>['data']): readonly Effect[] {
    return this.#fold(this.#parts.recorder.draft(type, data))
  }

  /** Records an event with the facts that core needs to evaluate it. `args`: arguments of a request before redaction. */
  async ask<Type extends AskingEvent['type']>(
    type: Type,
    data: EventOf<Type>['data'],
    args?: unknown,
  ): Promise<readonly Effect[]> {
    const event = this.#parts.recorder.draft(type, data)
    const facts = this.#judge?.facts
    return this.#fold(
      facts === undefined ? event : await facts.complete(this.#state, event, args),
      args,
    )
  }

  /** Throws, and changes nothing, if the event cannot be written. The caller has verified that the version is at least as strict. */
  take(next: Judging, applied: EventOf<'config.applied'>['data']): void {
    const { recorder, shadow } = this.#parts
    const before = this.#judge
    if (before === null) return
    const event = recorder.commit(recorder.draft('config.applied', applied, applied.digest))
    this.#judge = next
    this.#state = step(next.config, takeOver(before.config, next.config, this.#state), event).state
    shadow?.stop('The session moved to another version.')
  }

  #fold(draft: SessionEvent, args?: unknown): readonly Effect[] {
    const { recorder, shadow } = this.#parts
    const { config } = this
    const event = recorder.commit(draft)
    if (config === null) {
      this.#state = { ...this.#state, control: rememberOrder(this.#state, event) }
      return []
    }
    const next = step(config, this.#state, event)
    this.#state = next.state
    if (!isShadowEvent(event)) shadow?.observe(event, next.effects, args)
    return next.effects
  }
}

function isShadowEvent({ type }: SessionEvent): boolean {
  return type === 'shadow.started' || type === 'shadow.differed' || type === 'shadow.stopped'
}

// What one session has recorded, and what core makes of it: an event is written first, then folded.
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
import type { AskingEvent, FactFinder } from './fact-finder.ts'
import type { Recorder } from './recorder.ts'
import type { ShadowFold } from './shadow-fold.ts'

export interface SessionLogParts {
  /** null: nothing is judged, events are only written. */
  readonly config: CompiledConfig | null
  readonly recorder: Recorder
  /** null exactly when `config` is. */
  readonly facts: FactFinder | null
  /** What the events recorded so far come to; null: there are none. */
  readonly state: SessionState | null
  /** null: no other version is judged beside. */
  readonly shadow: ShadowFold | null
}

export class SessionLog {
  readonly #parts: SessionLogParts
  #state: SessionState

  constructor(parts: SessionLogParts) {
    this.#parts = parts
    this.#state = parts.state ?? initialState(parts.config?.promptName ?? '')
  }

  get state(): SessionState {
    return this.#state
  }

  /** Records an event that needs no facts, and folds it. Throws when it cannot be written; then nothing changed. */
  record<Type extends EventType>(type: Type, data: EventOf<Type>['data']): readonly Effect[] {
    return this.#fold(this.#parts.recorder.draft(type, data))
  }

  /** Records an event with the facts that core needs to judge it. `args`: of a request, before redaction. */
  async ask<Type extends AskingEvent['type']>(
    type: Type,
    data: EventOf<Type>['data'],
    args?: unknown,
  ): Promise<readonly Effect[]> {
    const event = this.#parts.recorder.draft(type, data)
    const { facts } = this.#parts
    return this.#fold(facts === null ? event : await facts.complete(this.#state, event, args), args)
  }

  #fold(draft: SessionEvent, args?: unknown): readonly Effect[] {
    const { recorder, config, shadow } = this.#parts
    const event = recorder.commit(draft)
    if (config === null) return []
    const next = step(config, this.#state, event)
    this.#state = next.state
    if (!isOfShadow(event)) shadow?.observe(event, next.effects, args)
    return next.effects
  }
}

function isOfShadow({ type }: SessionEvent): boolean {
  return type === 'shadow.started' || type === 'shadow.differed' || type === 'shadow.stopped'
}

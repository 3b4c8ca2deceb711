// Reads from a session's own events what its answers do not contain: who is asked about a call, and feedback as data.
import type { FeedbackDelivered, JsonObject, SessionEvent } from '@signalbox/core'
import { toApprovalId } from '@signalbox/wire'

export type WaitingCall = {
  readonly approval: string
  /** Epoch milliseconds. */
  readonly until: number
}

export class SessionWatch {
  /** Called when a reviewer is asked. */
  readonly #onWaiting: () => void
  readonly #waiting = new Map<string, WaitingCall>()
  readonly #entries = new Map<string, JsonObject[]>()
  #version: number | null = null
  #hasEnded = false
  #overrides = 0

  constructor(onWaiting: () => void) {
    this.#onWaiting = onWaiting
  }

  /** Number of the config version with which the session began in this process; null: not published, or the session resumed. */
  get version(): number | null {
    return this.#version
  }

  /** True once the end is recorded. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Number of stops recorded as overridden. */
  get overrides(): number {
    return this.#overrides
  }

  /** null: no reviewer is asked about this call. */
  findWaiting(callId: string): WaitingCall | null {
    return this.#waiting.get(callId) ?? null
  }

  /** Feedback on this call that the agent is to read. Each is returned once. */
  takeEntries(callId: string): readonly JsonObject[] {
    const entries = this.#entries.get(callId) ?? []
    this.#entries.delete(callId)
    return entries
  }

  readonly observe = (line: string): void => {
    // The recorder has validated the line.
    const event = JSON.parse(line) as SessionEvent
    switch (event.type) {
      case 'session.started':
        this.#version = event.data.config_version ?? null
        break
      case 'approval.requested': {
        const { call_id: callId, expires_at: until } = event.data
        this.#waiting.set(callId, { approval: toApprovalId(event.session, event.seq), until })
        this.#onWaiting()
        break
      }
      case 'approval.decided':
        this.#waiting.delete(event.data.call_id)
        break
      case 'feedback.delivered':
        if (event.data.delivery !== 'none') this.#keep(event.data)
        break
      case 'completion.overridden':
        this.#overrides += 1
        break
      case 'session.ended':
        this.#hasEnded = true
        break
      default:
        break
    }
  }

  #keep({ call_id: callId, provider, severity, ...advice }: FeedbackDelivered): void {
    const { summary, observations, suggestions } = advice
    const entry = {
      provider,
      severity,
      summary,
      observations: observations.map((each) => ({ ...each })),
      suggestions,
    }
    this.#entries.set(callId, [...(this.#entries.get(callId) ?? []), entry])
  }
}

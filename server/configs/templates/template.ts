import type { JsonObject, SessionEvent } from '@signalbox/core'

/** `shadow`: rules only record. `enforce`: they act. */
export type StartMode = 'shadow' | 'enforce'

export interface Move {
  /** Name of a tool; it succeeds unless `fails`. */
  readonly call?: string
  readonly args?: JsonObject
  readonly output?: string
  readonly fails?: boolean
  /** Files that the call leaves, by path. */
  readonly writes?: Readonly<Record<string, string>>
  /** A reviewer's answer. Absent: no one answers. */
  readonly approved?: boolean
  /** Number of equal calls. Absent: 1. */
  readonly times?: number
  /** Status of each step, by title. */
  readonly plan?: Readonly<Record<string, string>>
  /** Message with which the agent wants to stop. */
  readonly stop?: string
  /** Seconds. */
  readonly wait?: number
}

export interface TemplateAbout {
  readonly title: string
  readonly purpose: string
  readonly audience: string
  /** Changes to make before the first release. Absent: none. */
  readonly adapt?: string
  readonly tools: readonly { readonly name: string; readonly does: string }[]
  /** From it the test records `session.json`, with the rules enforced. */
  readonly sample: {
    readonly task: string
    readonly deadline_seconds: number
    readonly files: Readonly<Record<string, string>>
    readonly moves: readonly Move[]
  }
}

export interface Template {
  readonly config: JsonObject
  readonly about: TemplateAbout
  readonly session: readonly SessionEvent[]
}

/** `session`: recorded by the runtime, so its lines are events; the test records it again and compares. */
export function defineTemplate(
  config: JsonObject,
  about: TemplateAbout,
  session: readonly object[],
): Template {
  return { config, about, session: session as readonly SessionEvent[] }
}

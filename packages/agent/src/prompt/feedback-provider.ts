// Feedback providers: rules that give the agent feedback after a call when their trigger fires. Any object with a name and a `provide` is
// one; the built-in ones are in built-in-providers.ts.
import type { JsonObject } from '@signalbox/core'
import type { Feedback } from './feedback.ts'
import type { FeedbackContext } from './feedback-context.ts'

/** Fires once per session and provider, when the file is seen to exist. */
export interface FileCreatedTrigger {
  readonly filename: string
}

/** Conditions are OR-ed, and counted for each provider; at least one must be given. */
export interface FeedbackTrigger {
  /** Finished calls since this provider's own last feedback, from 1. */
  readonly everyNCalls?: number
  /** Seconds since this provider's own last feedback, over 0; the first opportunity fires. */
  readonly everyNSeconds?: number
  readonly onFileCreated?: FileCreatedTrigger
}

/** A provider in code. Its answer is recorded, so a replay does not call it again. Throwing loses only its own feedback. */
export interface FeedbackProvider {
  /** Names the type in configs (`custom:<name>`) and its block in the text. */
  readonly name: string
  /** Settings that the config document carries. */
  readonly params?: JsonObject
  /** JSON Schema of the settings, for the console's form. */
  readonly schema?: JsonObject
  /** Asked when the trigger fired. Absent: true. */
  shouldRun?(context: FeedbackContext): boolean | Promise<boolean>
  provide(context: FeedbackContext): Feedback | Promise<Feedback>
}

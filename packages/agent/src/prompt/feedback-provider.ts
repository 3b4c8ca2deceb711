// Feedback providers: rules that give the agent feedback after a call when their trigger fires. Any object with a name and a `provide` is
// one; the built-in ones are in built-in-providers.ts.
import type { JsonObject, TriggerDocument } from '@signalbox/core'
import type { Feedback } from './feedback.ts'
import type { FeedbackContext } from './feedback-context.ts'

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name

/**
 * The conditions of a config document in camel case: `everyNCalls`, `everyNSeconds`, `onFileCreated`. They are OR-ed, and counted for
 * each provider; at least one must be given.
 */
export type FeedbackTrigger = {
  readonly [Condition in keyof TriggerDocument as CamelCase<Condition>]: TriggerDocument[Condition]
}

/** Fires once per session and provider, when the file is seen to exist. */
export type FileCreatedTrigger = NonNullable<FeedbackTrigger['onFileCreated']>

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

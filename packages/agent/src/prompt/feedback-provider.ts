// Any object with a name and a `provide` method is a provider.
import type { JsonObject, TriggerDocument } from '@signalbox/core'
import type { Feedback } from './feedback.ts'
import type { FeedbackContext } from './feedback-context.ts'

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name

/** Conditions of a config document in camel case. At least one must be given; any of them fires the trigger. Counts are kept per provider. */
export type FeedbackTrigger = {
  readonly [Condition in keyof TriggerDocument as CamelCase<Condition>]: TriggerDocument[Condition]
}

/** Fires once per session and provider, when the file exists. */
export type FileCreatedTrigger = NonNullable<FeedbackTrigger['onFileCreated']>

/** A provider in code. Its answer is recorded, so a replay does not call it again. If it throws, only its own feedback is lost. */
export interface FeedbackProvider {
  /** Name of the type in configs (`custom:<name>`) and of the block in the rendered text. */
  readonly name: string
  readonly params?: JsonObject
  /** JSON Schema of the settings, for the console's form. */
  readonly schema?: JsonObject
  /** Called when the trigger fired. Absent: true. */
  shouldRun?(context: FeedbackContext): boolean | Promise<boolean>
  provide(context: FeedbackContext): Feedback | Promise<Feedback>
}

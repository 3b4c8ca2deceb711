// A harness as guardrails see it.
import type { HarnessCapabilities } from '../session/harness-capabilities.ts'
import type { NativeTools } from './native-tools.ts'

export interface HarnessProfile {
  /** Name in the console, e.g. `claude-code`. */
  readonly name: string
  /** Absent: not known. */
  readonly version?: string
  readonly capabilities: HarnessCapabilities
  readonly tools: NativeTools
  /** The harness escapes markup on its way to the model. Absent: it does not, and feedback has tags. */
  readonly plainFeedback?: boolean
}

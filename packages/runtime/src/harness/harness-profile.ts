import type { HarnessCapabilities } from '../session/harness-capabilities.ts'
import type { NativeTools } from './native-tools.ts'

export interface HarnessProfile {
  /** Name in the console, e.g. `claude-code`. */
  readonly name: string
  /** Absent: not known. */
  readonly version?: string
  readonly capabilities: HarnessCapabilities
  readonly tools: NativeTools
  /** True: the harness escapes markup before the model sees it, so feedback has no tags. Absent: false. */
  readonly plainFeedback?: boolean
}

// The prompt declares its checker. A checker on the adapter is an older way, accepted if the prompt has none.
import type { OnDiagnostic } from '@signalbox/runtime/base'
import type { TaskCompletionChecker } from './completion.ts'

interface CheckedPrompt {
  readonly name: string
  readonly taskCompletionChecker: TaskCompletionChecker | null
}

/** The prompt's checker takes precedence without a warning; null: neither has one. */
export function resolveChecker(
  prompt: CheckedPrompt,
  adapterChecker: TaskCompletionChecker | null,
  log: OnDiagnostic,
): TaskCompletionChecker | null {
  if (prompt.taskCompletionChecker !== null) return prompt.taskCompletionChecker
  if (adapterChecker !== null) {
    log({
      level: 'warning',
      code: 'task_completion.deprecated_adapter_config',
      message: `The checker of "${prompt.name}" is set on the adapter. Set taskCompletionChecker on the prompt template instead.`,
    })
  }
  return adapterChecker
}

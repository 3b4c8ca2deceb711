// The CEL evaluator is as large as the rest of the runtime, so it loads with the first config that has conditions.
import type { CompileOptions, ExpressionRules } from '@signalbox/core'

export class LazyExpressions implements CompileOptions {
  readonly customTypes: readonly string[]
  expressions?: ExpressionRules
  /** The evaluator was given or loaded, or its load failed. */
  #isSettled: boolean
  #loading: Promise<void> | null = null

  /** `expressions` undefined: the host provides no evaluator. */
  constructor(customTypes: readonly string[], expressions: ExpressionRules | undefined) {
    this.customTypes = customTypes
    if (expressions !== undefined) this.expressions = expressions
    this.#isSettled = expressions !== undefined
  }

  /** True if the evaluator must be loaded before this JSON text is compiled. Also true when the word appears by chance. */
  mustLoadFor(text: string): boolean {
    return !this.#isSettled && /"(?:expression|when|matches)"/.test(text)
  }

  /** Rejects if the host's build leaves the module out; configs with expressions are then refused. */
  load(): Promise<void> {
    this.#loading ??= this.#load()
    return this.#loading
  }

  async #load(): Promise<void> {
    try {
      const { celExpressions } = await import('@signalbox/core/expression')
      this.expressions = celExpressions()
    } finally {
      this.#isSettled = true
    }
  }
}

// Compile options of this runtime. The CEL evaluator is as large as the rest of the runtime, so it is loaded with the first config that has
// expression rules, unless the host gave it.
import type { CompileOptions, ExpressionRules } from '@signalbox/core'

export class LazyExpressions implements CompileOptions {
  readonly customTypes: readonly string[]
  expressions?: ExpressionRules
  /** Given, loaded, or never to be had. */
  #isSettled: boolean
  #loading: Promise<void> | null = null

  /** `expressions` undefined: the host gave none. */
  constructor(customTypes: readonly string[], expressions: ExpressionRules | undefined) {
    this.customTypes = customTypes
    if (expressions !== undefined) this.expressions = expressions
    this.#isSettled = expressions !== undefined
  }

  /** The evaluator must be loaded before a config of this JSON text can be compiled; also true when the word appears in it by chance. */
  mustLoadFor(text: string): boolean {
    return !this.#isSettled && text.includes('"expression"')
  }

  /** Rejects where the host's bundle leaves the module out; configs with expressions are then refused. */
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

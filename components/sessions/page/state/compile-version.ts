// The evaluator of conditions is larger than the rest of the fold, so the server gives the values of conditions with each event.
import { type CompiledConfig, type ConfigDocument, compileConfig } from '@signalbox/core'
import { expressionRules } from '@signalbox/core/expression-rules'
import type { ConditionValue } from '@/server/ingest/recorded-conditions.ts'

/** Config for folding sessions whose config is unknown; it decides nothing. */
export const NO_CONFIG: CompiledConfig = (() => {
  const result = compileConfig({ schema_version: 1, ns: 'none', key: 'none' })
  if (!result.ok) throw new Error('The empty config does not compile.')
  return result.config
})()

/** Compiles versions whose conditions have the values that were given last, in the order in which a fold asks for them. */
export class VersionCompiler {
  /** True once a compiled version had a condition. */
  hasConditions = false
  #values: readonly ConditionValue[] = []
  #used = 0

  readonly #expressions = expressionRules({
    checkPattern: () => null,
    compile: () => {
      this.hasConditions = true
      return { ok: true, program: { evaluate: () => this.#take() } }
    },
  })

  give(values: readonly ConditionValue[]): void {
    this.#values = values
    this.#used = 0
  }

  /** `text`: document of a version that the server could compile. Null: this page is older than the server and cannot. */
  compile(text: string, customTypes: readonly string[]): CompiledConfig | null {
    // The document was validated when it was published.
    const document = JSON.parse(text) as ConfigDocument
    const result = compileConfig(document, { customTypes, expressions: this.#expressions })
    return result.ok ? result.config : null
  }

  #take(): boolean {
    const value = this.#values[this.#used] ?? null
    this.#used += 1
    if (value === null) throw new Error('The condition could not be evaluated.')
    return value
  }
}

import type { SliceKey } from '../state/slice.ts'
import type { TaskCompletionChecker } from './completion.ts'
import type { FeedbackProvider } from './feedback-provider.ts'
import type { PlanSource } from './plan-source.ts'
import { type RuleBase, type RuleOptions, toSlug } from './rule-options.ts'
import type { ToolPolicy } from './tool-policy.ts'

export interface CustomRule<Rule> {
  readonly type: string
  readonly rule: Rule
}

/** `policies`, `providers` and `checkers` hold the rules in code, by rule id. */
export class RuleScribe {
  readonly policies = new Map<string, CustomRule<ToolPolicy>>()
  readonly providers = new Map<string, CustomRule<FeedbackProvider>>()
  readonly checkers = new Map<string, CustomRule<TaskCompletionChecker>>()
  readonly plans = new Map<SliceKey, PlanSource>()
  readonly tools: ReadonlySet<string>
  readonly #ids = new Set<string>()

  constructor(tools: Iterable<string>) {
    this.tools = new Set(tools)
  }

  /** `base`: kind of rule, followed by a number if the id is taken. A given `id` is kept. */
  rule(base: string, { id, mode }: RuleOptions = {}): RuleBase {
    const made = id ?? this.#free(toSlug(base))
    this.#ids.add(made)
    return { id: made, ...(mode === undefined ? {} : { mode }) }
  }

  #free(base: string): string {
    for (let count = 1; ; count += 1) {
      const id = count === 1 ? base : `${base}-${count}`
      if (!this.#ids.has(id)) return id
    }
  }
}

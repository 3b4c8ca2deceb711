// Collects a prompt's rules into one config document: gives each an id, and remembers the code behind the custom ones.
import type { SliceKey } from '../state/slice.ts'
import type { TaskCompletionChecker } from './completion.ts'
import type { FeedbackProvider } from './feedback-provider.ts'
import type { PlanSource } from './plan-source.ts'
import { type RuleBase, type RuleOptions, toSlug } from './rule-options.ts'
import type { ToolPolicy } from './tool-policy.ts'

/** A rule in code, and the type under which the config names it. */
export interface CustomRule<Rule> {
  readonly type: string
  readonly rule: Rule
}

/** Rules implemented in code; the custom rules of a prompt, by rule id. */
export class RuleScribe {
  readonly policies = new Map<string, CustomRule<ToolPolicy>>()
  readonly providers = new Map<string, CustomRule<FeedbackProvider>>()
  readonly checkers = new Map<string, CustomRule<TaskCompletionChecker>>()
  /** Slices that checkers take as the plan. */
  readonly plans = new Map<SliceKey, PlanSource>()
  /** Canonical names of all tools that the prompt declares. */
  readonly tools: ReadonlySet<string>
  readonly #ids = new Set<string>()

  constructor(tools: Iterable<string>) {
    this.tools = new Set(tools)
  }

  /** `base` names the kind of rule; a number is added when it is taken. A requested id is kept. */
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

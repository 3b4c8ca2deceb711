import { type CheckerDocument, omitUndefined } from '@signalbox/core'
import { Plan } from '../state/built-in-slices.ts'
import type { SliceDefinition } from '../state/slice.ts'
import { askChecker } from './ask-checker.ts'
import { checkerDocument, type DeclaredChecker } from './checker-declaration.ts'
import type {
  TaskCompletionChecker,
  TaskCompletionContext,
  TaskCompletionResult,
} from './completion.ts'
import { planSource } from './plan-source.ts'
import type { RuleScribe } from './rule-scribe.ts'

export interface CheckerOptions {
  /** Unique in the prompt. Absent: derived from the checker's kind. */
  readonly id?: string
}

abstract class CoreChecker implements DeclaredChecker {
  abstract toDocument(scribe: RuleScribe): CheckerDocument

  check(context: TaskCompletionContext): Promise<TaskCompletionResult> {
    return askChecker(this, context)
  }
}

export interface PlanBasedOptions<Own extends Plan> extends CheckerOptions {
  /** Slice whose latest value is the plan. Absent: `Plan`. */
  readonly plan?: SliceDefinition<Own>
}

/** Requires every step of the plan to be `done`. Without a plan there is nothing to check. */
export class PlanBasedChecker<Own extends Plan = Plan> extends CoreChecker {
  readonly #options: PlanBasedOptions<Own>

  constructor(options: PlanBasedOptions<Own> = {}) {
    super()
    this.#options = options
  }

  toDocument(scribe: RuleScribe): CheckerDocument {
    const { plan } = this.#options
    if (plan === undefined) scribe.plans.set(Plan, planSource(Plan))
    else scribe.plans.set(plan, planSource(plan))
    return { id: scribe.rule('plan', this.#options).id, type: 'plan' }
  }
}

export class FilesExistChecker extends CoreChecker {
  readonly #files: readonly string[]
  readonly #options: CheckerOptions

  constructor(files: Iterable<string>, options: CheckerOptions = {}) {
    super()
    this.#files = [...files]
    this.#options = options
  }

  toDocument(scribe: RuleScribe): CheckerDocument {
    const { id } = scribe.rule('files-exist', this.#options)
    return { id, type: 'files_exist', files: this.#files }
  }
}

export interface CompositeOptions extends CheckerOptions {
  readonly checkers: readonly TaskCompletionChecker[]
  /** Absent: true. False: one passed check is enough. */
  readonly allMustPass?: boolean
}

export class CompositeChecker extends CoreChecker {
  readonly #options: CompositeOptions

  constructor(options: CompositeOptions) {
    super()
    this.#options = options
  }

  toDocument(scribe: RuleScribe): CheckerDocument {
    const { checkers, allMustPass } = this.#options
    return {
      id: scribe.rule('composite', this.#options).id,
      type: 'composite',
      checkers: checkers.map((checker) => checkerDocument(checker, scribe)),
      ...omitUndefined({ all_must_pass: allMustPass }),
    }
  }
}

export interface ToolSucceededOptions extends CheckerOptions {
  readonly tool: string
  /** Tools whose success invalidates an earlier success of `tool`. */
  readonly after?: Iterable<string>
}

export class ToolSucceededChecker extends CoreChecker {
  readonly #options: ToolSucceededOptions

  constructor(options: ToolSucceededOptions) {
    super()
    this.#options = options
  }

  toDocument(scribe: RuleScribe): CheckerDocument {
    const { tool, after } = this.#options
    const { id } = scribe.rule('tool-succeeded', this.#options)
    return {
      id,
      type: 'tool_succeeded',
      tool,
      ...(after === undefined ? {} : { after: [...after] }),
    }
  }
}

export interface LLMJudgeOptions extends CheckerOptions {
  readonly criteria: string
  /** Absent: true. False: without a model there is nothing to check. */
  readonly requireAdapter?: boolean
}

export class LLMJudgeChecker extends CoreChecker {
  readonly #options: LLMJudgeOptions

  constructor(options: LLMJudgeOptions) {
    super()
    this.#options = options
  }

  toDocument(scribe: RuleScribe): CheckerDocument {
    const { criteria, requireAdapter } = this.#options
    return {
      id: scribe.rule('llm-judge', this.#options).id,
      type: 'llm_judge',
      criteria,
      ...omitUndefined({ require_adapter: requireAdapter }),
    }
  }
}

export interface ExpressionCheckerOptions extends CheckerOptions {
  /** CEL over `calls`, `session` and `stop` (specs/expressions.md); must be true. */
  readonly require: string
  /** Message to the agent if the condition is false. Absent: `Tasks are incomplete.` */
  readonly feedback?: string
}

export class ExpressionChecker extends CoreChecker {
  readonly #options: ExpressionCheckerOptions

  constructor(options: ExpressionCheckerOptions) {
    super()
    this.#options = options
  }

  toDocument(scribe: RuleScribe): CheckerDocument {
    const { require, feedback } = this.#options
    return {
      id: scribe.rule('expression', this.#options).id,
      type: 'expression',
      require,
      ...omitUndefined({ feedback }),
    }
  }
}

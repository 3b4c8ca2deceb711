// The evaluator of conditions is larger than the rest of the analysis, so the server checks conditions, each of them once.
import type { ExpressionRules } from '@signalbox/core'
import { expressionRules } from '@signalbox/core/expression-rules'
import type { AskedCondition } from '@/server/configs/check-conditions.ts'
import { MOST_CONDITIONS } from '@/server/configs/condition-input.ts'

export class ConditionAnswers {
  /** Why a condition cannot be used; null: it can. */
  readonly #answers = new Map<string, string | null>()
  readonly #open = new Map<string, AskedCondition>()

  /** Rules for `compileConfig`; new ones after each answer. A condition without an answer counts as usable. */
  createRules(): ExpressionRules {
    return expressionRules({
      checkPattern: (source) => this.#find({ source, variables: null }),
      compile: (source, variables) => {
        const message = this.#find({ source, variables })
        return message === null
          ? { ok: true, program: { evaluate: () => null } }
          : { ok: false, message }
      },
    })
  }

  /** Conditions that were met without an answer, each listed once. */
  takeOpen(): readonly AskedCondition[] {
    const taken = [...this.#open].slice(0, MOST_CONDITIONS)
    for (const [key] of taken) this.#open.delete(key)
    return taken.map(([, condition]) => condition)
  }

  add(conditions: readonly AskedCondition[], answers: readonly (string | null)[]): void {
    for (const [i, condition] of conditions.entries())
      this.#answers.set(toKey(condition), answers[i] ?? null)
  }

  #find(condition: AskedCondition): string | null {
    const key = toKey(condition)
    const answer = this.#answers.get(key)
    if (answer === undefined) this.#open.set(key, condition)
    return answer ?? null
  }
}

function toKey({ source, variables }: AskedCondition): string {
  return JSON.stringify([source, variables])
}

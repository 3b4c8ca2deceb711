// Content rules replace values before policies, tool, model and record get them. The detectors load with the first value of a
// session whose config has such a rule.
import { randomBytes } from 'node:crypto'
import {
  type CompiledContentRule,
  type ContentFacts,
  isJsonObject,
  type JsonValue,
  type RuleResult,
} from '@signalbox/core'
import { concludeContent, judgeContent, judgeResult, listMasking } from '@signalbox/core/host'
import type { OnDiagnostic } from '../base/diagnostic.ts'
import { describeError } from '../base/guardrail-error.ts'
import type { Inspected } from '../content/index.ts'
import type { Replacement, ToolCall, ToolCallResult } from './session-answers.ts'
import type { SessionLog } from './session-log.ts'

export interface ContentGuardParts {
  readonly log: SessionLog
  /** Milliseconds for one detector. */
  readonly answerMs: number
  readonly report: OnDiagnostic
}

export interface InspectedCall {
  /** For policies, tool and record. */
  readonly args: unknown
  readonly isChanged: boolean
  /** null: no rule inspects the arguments. */
  readonly facts: ContentFacts | null
}

export interface InspectedResult {
  readonly output?: unknown
  readonly error?: string
  /** null: the model may read the result as it is. */
  readonly replaced: Replacement | null
  readonly facts: ContentFacts | null
}

type Content = typeof import('../content/index.ts')

const NOT_CHECKED: ContentFacts = { detectors: [], checked: [], found: [] }

export class ContentGuard {
  readonly #parts: ContentGuardParts
  readonly #key = randomBytes(32)

  constructor(parts: ContentGuardParts) {
    this.#parts = parts
  }

  async inspectCall({ tool, args }: ToolCall): Promise<InspectedCall> {
    const { config, state } = this.#parts.log
    const rules = config?.rulesFor(config.canonicalTool(tool)).content.arguments ?? []
    if (rules.length === 0) return { args, isChanged: false, facts: null }
    const { inspected, content } = await this.#inspect(args, rules)
    const facts = inspected?.facts ?? NOT_CHECKED
    const results = judgeContent(rules, facts, state.replaceable)
    const hidden = findUnchecked(results)
    if (hidden !== null || inspected === null || content === null)
      return { args: hidden === null ? args : { $redacted: hidden }, isChanged: false, facts }
    const masking = listMasking(results)
    if (!hasFound(inspected, masking)) return { args, isChanged: false, facts }
    return { args: content.replaceFound(inspected, masking), isChanged: true, facts }
  }

  async inspectResult({
    tool,
    outcome,
    output,
    error,
  }: Pick<ToolCallResult, 'tool' | 'outcome' | 'output' | 'error'>): Promise<InspectedResult> {
    const given = {
      ...(output === undefined ? {} : { output }),
      ...(error === undefined ? {} : { error }),
    }
    const { config, state } = this.#parts.log
    const rules = config?.rulesFor(config.canonicalTool(tool)).content.result ?? []
    if (config === null || rules.length === 0 || outcome === 'denied')
      return { ...given, replaced: null, facts: null }
    // Pointers are into the output, or into the error of a call that has no output.
    const value = output === undefined ? error : error === undefined ? output : given
    const { inspected, content } = await this.#inspect(value, rules)
    const facts = inspected?.facts ?? NOT_CHECKED
    const results = judgeResult(config, state, { tool, outcome, facts: { content: facts } })
    const decision = concludeContent({ call_id: '', tool }, results)
    const text = decision?.text ?? null
    if (text !== null) {
      const replaced = toReplacement(given, text)
      return { ...replaced, replaced, facts }
    }
    if (decision?.verdict !== 'masked' || inspected === null || content === null)
      return { ...given, replaced: null, facts }
    const masked = content.replaceFound(inspected, listMasking(results))
    const replaced = toReplacement(given, masked)
    return { ...replaced, replaced, facts }
  }

  /** For values that are recorded and belong to no tool: the rules of all tools that find something apply. */
  async scrub(value: unknown): Promise<unknown> {
    const rules = (this.#parts.log.config?.content ?? []).filter(
      ({ mode, document: { action, kind } }) =>
        mode === 'enforce' && action !== 'warn' && kind !== 'size',
    )
    if (rules.length === 0 || value === undefined) return value
    const { inspected, content } = await this.#inspect(value, rules)
    const open = rules.find(
      ({ document }) => inspected?.facts.checked.includes(document.id) !== true,
    )
    if (open !== undefined || inspected === null || content === null)
      return `[${open?.document.kind ?? 'content'}]`
    const all = new Set(rules.map(({ document }) => document.id))
    return hasFound(inspected, all) ? content.replaceFound(inspected, all) : value
  }

  async #inspect(
    value: unknown,
    rules: readonly CompiledContentRule[],
  ): Promise<{ readonly inspected: Inspected | null; readonly content: Content | null }> {
    try {
      const content = await import('../content/index.ts')
      const inspected = await content.inspect(value, {
        rules: rules.map(({ document }) => document),
        key: this.#key,
        answerMs: this.#parts.answerMs,
        onFailure: (rule, error) => this.#failed(`Rule "${rule}": ${describeError(error)}`),
      })
      return { inspected, content }
    } catch (error) {
      this.#failed(describeError(error))
      return { inspected: null, content: null }
    }
  }

  #failed(message: string): void {
    this.#parts.report({ level: 'error', code: 'content_not_checked', message })
  }
}

function hasFound({ places, limits }: Inspected, rules: ReadonlySet<string>): boolean {
  return [...places, ...limits].some(({ rule }) => rules.has(rule))
}

/** Id of the first rule that denies because its detector gave no answer; null: none. The arguments are then not recorded. */
function findUnchecked(results: readonly RuleResult[]): string | null {
  const unchecked = results.find(
    ({ mode, result, code }) =>
      mode === 'enforce' && result === 'error' && code === 'content.not_checked',
  )
  return unchecked?.rule ?? null
}

/** `value`: what takes the place of the output, of the error, or of both: then one text, or an object with both. */
function toReplacement(
  given: { readonly output?: unknown; readonly error?: string },
  value: JsonValue,
): Replacement {
  const isBoth = given.output !== undefined && given.error !== undefined
  const parts = isBoth && isJsonObject(value) ? value : { output: value, error: value }
  const { output = null, error } = parts
  return {
    ...(given.output === undefined && given.error !== undefined ? {} : { output }),
    ...(given.error === undefined
      ? {}
      : { error: typeof error === 'string' ? error : JSON.stringify(error) }),
  }
}

// Under which names and arguments a harness's calls are judged: the config's own words first, then the harness's table.
import { type ConfigDocument, isJsonObject, type JsonObject, type PlanStep } from '@signalbox/core'
import type { NativeCall, NativeResult } from './native-call.ts'
import type { NativeTool, NativeTools } from './native-tools.ts'

/** One call as the rules see it. */
export interface NamedCall {
  readonly tool: string
  readonly args: unknown
}

export class ToolNaming {
  readonly #table: NativeTools
  readonly #aliases: ReadonlySet<string>
  /** Every tool that a rule names. */
  readonly #named: ReadonlySet<string>

  /** `document` null: no config is in force. */
  constructor(table: NativeTools, document: ConfigDocument | null) {
    this.#table = table
    this.#aliases = new Set(Object.keys(document?.aliases ?? {}))
    this.#named = namesIn(document)
  }

  /**
   * At least one; more for a tool that changes several files at once, and for one whose own name and table name both stand in
   * rules: then it is judged under both, for neither rule may be escaped.
   */
  callsOf({ tool, input }: NativeCall): readonly [NamedCall, ...NamedCall[]] {
    const native = this.#toolOf(tool)
    if (native === undefined) return [{ tool, args: input }]
    const [first, ...others] = partsOf(native, input).flatMap(({ name, args }) =>
      this.#namesOf(tool, name).map((each) => ({ tool: each, args })),
    )
    return first === undefined ? [{ tool, args: input }] : [first, ...others]
  }

  /** The whole plan that this successful call leaves; null: it is about something else. */
  planOf(
    { tool, input, output }: NativeResult,
    plan: readonly PlanStep[],
  ): readonly PlanStep[] | null {
    return isJsonObject(input)
      ? (this.#toolOf(tool)?.plan?.(input, { output, plan }) ?? null)
      : null
  }

  #toolOf(tool: string): NativeTool | undefined {
    return Object.hasOwn(this.#table, tool) ? this.#table[tool] : undefined
  }

  #namesOf(native: string, name: string): readonly string[] {
    if (native === name || this.#aliases.has(native)) return [native]
    if (!this.#named.has(native)) return [name]
    return this.#named.has(name) ? [native, name] : [native]
  }
}

function partsOf(
  { name, parts, args }: NativeTool,
  input: unknown,
): readonly { readonly name: string; readonly args: unknown }[] {
  if (!isJsonObject(input)) return [{ name, args: input }]
  const several = parts?.(input) ?? []
  return several.length > 0 ? several : [{ name, args: args?.(input) ?? input }]
}

/** Words that are exactly a tool's name, wherever they stand in rules: lists, keys, and the quoted words of conditions. */
function namesIn(document: ConfigDocument | null): ReadonlySet<string> {
  const names = new Set<string>()
  if (document === null) return names
  const rules: unknown = [
    document.policies,
    document.sections,
    document.feedback_providers,
    document.task_completion_checker,
  ]
  collect(rules, names)
  return names
}

const QUOTED = /"([^"]{1,200})"|'([^']{1,200})'/g

function collect(value: unknown, names: Set<string>): void {
  if (typeof value === 'string') {
    names.add(value)
    for (const [, double, single] of value.matchAll(QUOTED)) names.add(double ?? single ?? '')
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, names)
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      names.add(key)
      collect(item, names)
    }
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}

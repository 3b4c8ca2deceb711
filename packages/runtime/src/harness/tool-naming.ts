import { type ConfigDocument, isJsonObject, type JsonObject, type PlanStep } from '@signalbox/core'
import type { NativeCall, NativeResult } from './native-call.ts'
import type { NativeTool, NativeTools } from './native-tools.ts'

export interface NamedCall {
  readonly tool: string
  readonly args: unknown
}

export class ToolNaming {
  readonly #table: NativeTools
  readonly #aliases: ReadonlySet<string>
  readonly #named: Named

  /** `document` null: no config is in force. */
  constructor(table: NativeTools, document: ConfigDocument | null) {
    this.#table = table
    this.#aliases = new Set(Object.keys(document?.aliases ?? {}))
    this.#named = namesIn(document)
  }

  /** More than one for a tool that changes several files, and for one whose native and table names may both be in rules, so that it escapes neither. */
  nameCalls({ tool, input }: NativeCall): readonly [NamedCall, ...NamedCall[]] {
    const native = this.#findTool(tool)
    if (native === undefined) return [{ tool, args: input }]
    const [first, ...others] = splitToolInput(native, input).flatMap(({ name, args }) =>
      this.#namesInRules(tool, name).map((each) => ({ tool: each, args })),
    )
    return first === undefined ? [{ tool, args: input }] : [first, ...others]
  }

  /** The whole plan after this successful call; null: the call does not change the plan. */
  readPlan(
    { tool, input, output }: NativeResult,
    plan: readonly PlanStep[],
  ): readonly PlanStep[] | null {
    return isJsonObject(input)
      ? (this.#findTool(tool)?.plan?.(input, { output, plan }) ?? null)
      : null
  }

  #findTool(tool: string): NativeTool | undefined {
    return Object.hasOwn(this.#table, tool) ? this.#table[tool] : undefined
  }

  #namesInRules(native: string, name: string): readonly string[] {
    if (native === name || this.#aliases.has(native)) return [native]
    const { asTools, elsewhere } = this.#named
    if (asTools.has(native) && !asTools.has(name) && !elsewhere.has(name)) return [native]
    return asTools.has(native) || elsewhere.has(native) ? [native, name] : [name]
  }
}

function splitToolInput(
  { name, parts, args }: NativeTool,
  input: unknown,
): readonly { readonly name: string; readonly args: unknown }[] {
  if (!isJsonObject(input)) return [{ name, args: input }]
  const several = parts?.(input) ?? []
  return several.length > 0 ? several : [{ name, args: args?.(input) ?? input }]
}

interface Named {
  readonly asTools: Set<string>
  /** All other keys and texts of rules, such as parameters of custom types, which may be exactly a tool's name. */
  readonly elsewhere: Set<string>
}

const TOOL_LISTS = /^(tool|tools|after|dependencies|[a-z]+_tools)$/
const QUOTED = /"([^"]{1,200})"|'([^']{1,200})'/g

function namesIn(document: ConfigDocument | null): Named {
  const named = { asTools: new Set<string>(), elsewhere: new Set<string>() }
  const { policies, content, sections, feedback_providers, task_completion_checker } =
    document ?? {}
  const rules = [policies, content, sections, feedback_providers, task_completion_checker]
  collect(rules, named, named.elsewhere)
  return named
}

function collect(value: unknown, named: Named, into: Set<string>): void {
  if (typeof value === 'string') {
    collectWords(value, named, into)
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, named, into)
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      into.add(key)
      collect(item, named, TOOL_LISTS.test(key) ? named.asTools : into)
    }
  }
}

function collectWords(text: string, { asTools }: Named, into: Set<string>): void {
  into.add(text)
  for (const [, double, single] of text.matchAll(QUOTED)) asTools.add(double ?? single ?? '')
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}

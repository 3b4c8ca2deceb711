// Uses the parsers of the API and the command line, so that all three always agree.
import {
  type ConfigDocument,
  type ExpressionRules,
  isJsonObject,
  type JsonObject,
  type Problem,
  type ProblemFix,
  type RuleOrigin,
} from '@signalbox/core'
import { lintConfig } from '@signalbox/core/lint'
import { MAX_CONFIG_BYTES } from '@signalbox/wire'
import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser'
import type { TextPlace } from '@/server/configs/config-text.ts'
import {
  type KnownBases,
  listOrigins,
  NO_BASES,
  readExtends,
  resolveConfigText,
} from '@/server/configs/config-text-input.ts'
import type { RuleActivity } from '@/server/configs/rule-activity.ts'
import { dataAdvice } from './data-advice.ts'
import { suggestFix } from './fixes.ts'

export interface LocatedProblem extends Omit<Problem, 'fix'> {
  /** Range of the problem in the text, in characters. */
  readonly from: number
  readonly to: number
  /** From 1. */
  readonly line: number
  readonly column: number
  /** Null: no automatic fix; the user must decide. */
  readonly fix: ProblemFix | null
}

export interface Analysis {
  readonly text: string
  readonly problems: readonly LocatedProblem[]
  readonly errors: number
  /** Null: the text is no JSON object. */
  readonly value: JsonObject | null
  /** With the rules of the base. Null: the text does not have the shape of a config, or its base is unknown. */
  readonly document: ConfigDocument | null
  /** Null: the text extends nothing, or its base is not loaded or unknown. */
  readonly inherited: Inherited | null
}

export interface Inherited {
  /** `ns/key@version` */
  readonly reference: string
  readonly base: ConfigDocument
  /** By rule id. */
  readonly origins: ReadonlyMap<string, RuleOrigin>
}

/** `bases` absent: not loaded yet, so a missing base is not reported. */
export interface AnalyzedPlace extends TextPlace {
  /** Absent or null: stored sessions are unknown. */
  readonly activity?: RuleActivity | null
  /** Absent or null: not loaded yet, so conditions are not checked. */
  readonly expressions?: ExpressionRules | null
  /** Warnings about every run of a text, in the places of its flat document. Absent or null: none is known. */
  readonly proven?: { readonly text: string; readonly problems: readonly Problem[] } | null
}

export function analyze(text: string, place: AnalyzedPlace): Analysis {
  const resolved = resolveConfigText(text, place.bases ?? NO_BASES)
  const { document } = resolved
  const problems = resolved.ok
    ? [
        ...resolved.problems,
        ...[
          ...meaningProblems(resolved.document, place),
          ...promptProblems(resolved.document, place),
          ...(place.activity ? dataAdvice(resolved.document, place.activity) : []),
          ...(place.proven?.text === text ? place.proven.problems : []),
        ].map(resolved.placed),
      ]
    : resolved.problems.filter(({ code }) => place.bases !== undefined || code !== 'base_missing')
  const value = readObject(text)
  const places = placesIn(text)
  const located = problems.map((problem) => ({
    ...problem,
    ...places(problem),
    fix: suggestFix(problem, value, place),
  }))
  const errors = located.filter(({ severity }) => severity === 'error').length
  const inherited = findInherited(text, document, place.bases)
  return { text, problems: located, errors, value, document, inherited }
}

function findInherited(
  text: string,
  document: ConfigDocument | null,
  bases: KnownBases = NO_BASES,
): Inherited | null {
  const reference = readExtends(text)
  const known = reference === null ? undefined : bases.get(reference)
  if (reference === null || known === undefined || document === null) return null
  const base = known.document
  return { reference, base, origins: listOrigins(document, base) }
}

function meaningProblems(
  document: ConfigDocument,
  { customTypes, expressions }: AnalyzedPlace,
): readonly Problem[] {
  if (expressions) return lintConfig(document, { expressions, customTypes })
  return lintConfig(document, { customTypes }).filter(
    ({ code }) => code !== 'expression_engine_missing',
  )
}

function readObject(text: string): JsonObject | null {
  if (text.length > MAX_CONFIG_BYTES) return null
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    // A text that is not JSON is a normal state of the editor, reported as a problem; the form has nothing to show.
    return null
  }
}

function promptProblems(
  document: ConfigDocument,
  prompt: { readonly ns: string; readonly key: string },
): Problem[] {
  const { ns, key } = document
  if (ns === prompt.ns && key === prompt.key) return []
  const pointer = ns === prompt.ns ? '/key' : '/ns'
  const message = `The document names the prompt "${ns}/${key}", but this config is "${prompt.ns}/${prompt.key}". Change it back, or create a config for "${ns}/${key}".`
  return [{ pointer, code: 'other_prompt', severity: 'error', message }]
}

type Located = Pick<LocatedProblem, 'from' | 'to' | 'line' | 'column'>

/** Parses the text once for all problems, because there may be thousands. */
function placesIn(text: string): (problem: Problem) => Located {
  // A text too large to publish is not parsed again to locate its problems.
  const root = text.length > MAX_CONFIG_BYTES ? undefined : parseTree(text)
  const starts = lineStarts(text)
  return (problem) => {
    const syntax =
      problem.code === 'syntax' ? / line (\d+), column (\d+), /.exec(problem.message) : null
    if (syntax !== null) {
      const [line, column] = [Number(syntax[1]), Number(syntax[2])]
      const from = Math.min(text.length, (starts[line - 1] ?? text.length) + column - 1)
      return { from, to: Math.min(text.length, from + 1), line, column }
    }
    const range = root === undefined ? { from: 0, to: 0 } : nearestRange(root, problem.pointer)
    return { ...range, ...lineAt(starts, range.from) }
  }
}

/** Range of the value, else of its closest existing ancestor: a missing field is shown at its object. */
function nearestRange(root: Node, pointer: string): { from: number; to: number } {
  let node = root
  for (const step of parsePointer(pointer)) {
    const next = findNodeAtLocation(node, [node.type === 'array' ? Number(step) : step])
    if (next === undefined) break
    node = next
  }
  const { offset: from, length } = node
  return { from, to: from + (node === root ? 1 : length) }
}

function parsePointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function lineAt(starts: readonly number[], offset: number): { line: number; column: number } {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
}

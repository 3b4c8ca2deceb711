// Everything the editor knows about a text: its problems with their places, and the value that the form may show. The same
// parsers as in the API and the command line run here, so that the three never disagree.
import { type ConfigDocument, isJsonObject, type JsonObject, type Problem } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { lintConfig } from '@signalbox/core/lint'
import { MAX_CONFIG_BYTES, parseConfigText } from '@signalbox/wire'
import { pathOf, rangeAt } from './json-edit.ts'

const expressions = celExpressions()

export interface LocatedProblem extends Problem {
  /** Characters of the text that it is about. */
  readonly from: number
  readonly to: number
  /** From 1. */
  readonly line: number
  readonly column: number
}

export interface Analysis {
  readonly text: string
  readonly problems: readonly LocatedProblem[]
  readonly errors: number
  /** The JSON as far as the form can show it; null when the text is not a JSON object. */
  readonly value: JsonObject | null
  /** Null unless the document has the shape of a config. */
  readonly document: ConfigDocument | null
}

/** What the text stands under: its config, and the custom types that runtimes of the project have code for. */
export interface TextPlace {
  readonly ns: string
  readonly key: string
  readonly customTypes: readonly string[]
}

export function analyse(text: string, place: TextPlace): Analysis {
  const parsed = parseConfigText(text)
  const document = parsed.ok ? parsed.document : null
  const problems =
    document === null
      ? parsed.problems
      : [...meaningProblems(document, place), ...promptProblems(document, place)]
  const located = problems.map((problem) => locate(problem, text))
  const errors = located.filter(({ severity }) => severity === 'error').length
  return { text, problems: located, errors, value: readObject(text), document }
}

function meaningProblems(document: ConfigDocument, { customTypes }: TextPlace): readonly Problem[] {
  return lintConfig(document, { expressions, customTypes })
}

function readObject(text: string): JsonObject | null {
  if (text.length > MAX_CONFIG_BYTES) return null
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    // Not JSON is a state of the editor, told by the problems; there is nothing to show in the form.
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

function locate(problem: Problem, text: string): LocatedProblem {
  const syntax = problem.code === 'syntax' ? / at (\d+):(\d+)\.?$/.exec(problem.message) : null
  if (syntax !== null) {
    const [line, column] = [Number(syntax[1]), Number(syntax[2])]
    const from = Math.min(text.length, offsetOf(text, line, column))
    return { ...problem, from, to: Math.min(text.length, from + 1), line, column }
  }
  // A text too large to publish is not worth parsing again for one place.
  const range =
    text.length > MAX_CONFIG_BYTES ? { from: 0, to: 0 } : nearestRange(text, problem.pointer)
  return { ...problem, ...range, ...placeOf(text, range.from) }
}

/** Of the value itself, or of the closest one around it that exists: a missing field is shown at its object. */
function nearestRange(text: string, pointer: string): { from: number; to: number } {
  for (let steps = pathOf(pointer, text); ; steps = steps.slice(0, -1)) {
    const range = rangeAt(text, steps)
    if (range !== null) return steps.length === 0 ? { ...range, to: range.from + 1 } : range
    if (steps.length === 0) return { from: 0, to: 0 }
  }
}

function offsetOf(text: string, line: number, column: number): number {
  let start = 0
  for (let n = 1; n < line; n++) {
    const next = text.indexOf('\n', start)
    if (next === -1) break
    start = next + 1
  }
  return start + column - 1
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - before.lastIndexOf('\n') }
}

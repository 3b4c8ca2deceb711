// Describes a rule with core's text, when the document around it can be read.
import type { JsonPath } from '@/components/kit/diff/json-edit.ts'
import { valueAt } from '@/components/kit/diff/json-values.ts'
import { useForm } from './form-context.tsx'

/**
 * `describe` receives the rule at `path`. A document without the shape of a config returns null: core's sentences require a rule that wire
 * accepted.
 */
export function useWords(path: JsonPath, describe: (rule: object) => string): string | null {
  const { value, problems } = useForm()
  const rule = valueAt(value, path)
  const isShaped = !problems.some(
    ({ severity, code }) => severity === 'error' && SHAPE_PROBLEMS.test(code),
  )
  if (!isShaped || typeof rule !== 'object' || rule === null) return null
  try {
    return describe(rule)
  } catch {
    // Problems are worked out a moment after typing; until then a half-typed rule may not be describable.
    return null
  }
}

/** Codes of wire's schema and syntax problems; core's problems do not stop a sentence. */
const SHAPE_PROBLEMS = /^(syntax|empty|too_|invalid|unrecognized|unsupported|duplicate_key)/

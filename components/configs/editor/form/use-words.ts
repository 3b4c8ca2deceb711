import type { JsonPath } from '@/components/kit/diff/json-edit.ts'
import { valueAt } from '@/components/kit/diff/json-values.ts'
import { useForm } from './form-context.tsx'

/** Null: the document does not have the shape of a config; core describes only rules that wire accepted. */
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
    // Problems are computed a moment after typing; until then, a half-typed rule may have no description.
    return null
  }
}

/** Codes of wire's schema and syntax problems. Problems found by core do not prevent a description. */
const SHAPE_PROBLEMS = /^(syntax|empty|too_|invalid|unrecognized|unsupported|duplicate_key)/

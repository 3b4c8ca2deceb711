import { RE2JS } from '@bufbuild/re2'
import { MAX_PATTERN_SIZE } from './limits.ts'

/** Returns why the pattern cannot be used; null: it can. */
export function checkPattern(source: string): string | null {
  try {
    const { prog } = RE2JS.compile(source).re2()
    return prog.inst.length > MAX_PATTERN_SIZE
      ? 'The pattern is too large. Use fewer repetitions.'
      : null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

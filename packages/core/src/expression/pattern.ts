import { RE2JS } from '@bufbuild/re2'
import { refuse } from '../kinds/compilation.ts'
import type { Compilation } from '../kinds/compile-options.ts'
import { MAX_PATTERN_SIZE } from './limits.ts'

export function checkPattern(source: string, pointer: string, compilation: Compilation): void {
  try {
    const { prog } = RE2JS.compile(source).re2()
    if (prog.inst.length > MAX_PATTERN_SIZE)
      refuse(compilation, pointer, {
        code: 'expression_invalid',
        message: 'The pattern is too large. Use fewer repetitions.',
      })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    refuse(compilation, pointer, { code: 'expression_invalid', message })
  }
}

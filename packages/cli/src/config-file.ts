// Reads a config file and reports its problems, first those of its shape, then those of its meaning.
import { type CompiledConfig, compileConfig, type Problem } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { lintConfig } from '@signalbox/core/lint'
import { parseConfigText } from '@signalbox/wire'
import { type Io, Unusable } from './io.ts'

const expressions = celExpressions()

export interface CheckedConfig {
  readonly problems: readonly Problem[]
  /** null when an error stands. */
  readonly config: CompiledConfig | null
}

export async function checkConfigFile(io: Io, file: string): Promise<CheckedConfig> {
  const parsed = parseConfigText(await io.readText(file))
  if (!parsed.ok) return { problems: parsed.problems, config: null }
  const compiled = compileConfig(parsed.document, { expressions })
  const problems = lintConfig(parsed.document, { expressions })
  return { problems, config: compiled.ok ? compiled.config : null }
}

/** For commands that need a working config. */
export async function requireConfig(io: Io, file: string): Promise<CompiledConfig> {
  const { config, problems } = await checkConfigFile(io, file)
  if (config !== null) return config
  const first = problems.find((problem) => problem.severity === 'error')
  throw new Unusable(
    `${file} is not a usable config: ${first === undefined ? 'unknown problem' : problemLine(first)}`,
  )
}

export function problemLine({ pointer, severity, message }: Problem): string {
  return `${pointer === '' ? '(document)' : pointer}  ${severity}  ${message}`
}

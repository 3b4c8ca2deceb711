import type { CompiledConfig, ConfigDocument, Problem } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { compileChecked, lintConfig } from '@signalbox/core/lint'
import { computeDigest, parseConfigSource, parseConfigText } from '@signalbox/wire'
import { type Io, Unusable } from './io.ts'
import { printable } from './printable.ts'

const expressions = celExpressions()

/** `customTypes`: rule types for which the runtimes have code; `any`: not known. */
export async function configFileProblems(
  io: Io,
  file: string,
  customTypes: readonly string[] | 'any',
): Promise<readonly Problem[]> {
  const parsed = parseConfigSource(await io.readText(file))
  if (!parsed.ok) return parsed.problems
  const { extends: base, ...own } = parsed.document
  const problems = lintConfig(own, { expressions, customTypes })
  if (base === undefined) return problems
  const message = `Only the control plane has "${base}", so the file is checked without it. \`signalbox check\` checks both.`
  return [...problems, { pointer: '/extends', code: 'base_unread', severity: 'warning', message }]
}

/** Compiled once per set of custom types. */
export interface ConfigFile {
  readonly digest: string
  /** Throws Unusable when the config is invalid with these types. */
  readonly compiledFor: (customTypes: readonly string[] | 'any') => CompiledConfig
}

/** Throws Unusable when no runtime can use the config. */
export async function readConfigFile(io: Io, file: string): Promise<ConfigFile> {
  const parsed = parseConfigText(await io.readText(file))
  if (!parsed.ok) throw unusable(file, parsed.problems)
  const { document } = parsed
  compile(file, document, 'any')
  const compiled = new Map<string, CompiledConfig>()
  return {
    digest: computeDigest(document),
    compiledFor: (customTypes) => {
      const key = JSON.stringify(customTypes)
      const config = compiled.get(key) ?? compile(file, document, customTypes)
      compiled.set(key, config)
      return config
    },
  }
}

function compile(
  file: string,
  document: ConfigDocument,
  customTypes: readonly string[] | 'any',
): CompiledConfig {
  const result = compileChecked(document, { expressions, customTypes })
  if (!result.ok) throw unusable(file, result.problems)
  return result.config
}

function unusable(file: string, problems: readonly Problem[]): Unusable {
  const first = problems.find((problem) => problem.severity === 'error')
  return new Unusable(
    `${file} is not a usable config: ${first === undefined ? 'unknown problem' : problemLine(first)}`,
  )
}

export function problemLine({ pointer, severity, message }: Problem): string {
  return printable(`${pointer === '' ? '(document)' : pointer}  ${severity}  ${message}`)
}

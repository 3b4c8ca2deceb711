import { configFileProblems, problemLine } from './base/config-file.ts'
import { EXIT, type Io } from './base/io.ts'

/** `warnings` false, for `validate`: counts errors only. */
export async function lint(
  io: Io,
  file: string,
  options: {
    readonly json: boolean
    readonly warnings: boolean
    readonly customTypes: readonly string[] | 'any'
  },
): Promise<number> {
  const problems = await configFileProblems(io, file, options.customTypes)
  const shown = options.warnings
    ? problems
    : problems.filter(({ severity }) => severity === 'error')
  if (options.json) io.out(JSON.stringify(shown))
  else for (const problem of shown) io.out(problemLine(problem))
  if (!options.json && shown.length === 0) io.out(`${file}: no problems`)
  return shown.length === 0 ? EXIT.clean : EXIT.findings
}

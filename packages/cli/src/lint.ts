import type { Problem } from '@signalbox/core'
import { configFileProblems, problemLine, readConfigFile } from './base/config-file.ts'
import { EXIT, type Io } from './base/io.ts'

/** `warnings` false, for `validate`: counts errors only. */
export async function lint(
  io: Io,
  file: string,
  options: {
    readonly json: boolean
    readonly warnings: boolean
    readonly customTypes: readonly string[] | 'any'
    /** True: also what a search over every run finds. */
    readonly prove: boolean
  },
): Promise<number> {
  const read = await configFileProblems(io, file, options.customTypes)
  const isUsable = read.every(({ severity }) => severity !== 'error')
  const problems = options.prove && isUsable ? [...read, ...(await listProven(io, file))] : read
  const shown = options.warnings
    ? problems
    : problems.filter(({ severity }) => severity === 'error')
  if (options.json) io.out(JSON.stringify(shown))
  else for (const problem of shown) io.out(problemLine(problem))
  if (!options.json && shown.length === 0) io.out(`${file}: no problems`)
  return shown.length === 0 ? EXIT.clean : EXIT.findings
}

const MOST_MS = 60_000

async function listProven(io: Io, file: string): Promise<readonly Problem[]> {
  const { listProvenProblems } = await import('@signalbox/core/prove')
  const end = performance.now() + MOST_MS
  const config = (await readConfigFile(io, file)).compiledFor('any')
  return listProvenProblems(config, { isAborted: () => performance.now() > end })
}

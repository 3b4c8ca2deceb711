// @ts-check
import { spawnSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { ROOT } from './build-steps.mjs'

/** Limit of the bytes after gzip that load before a config is applied. */
export const GUARDRAILS_BYTES = 120_000

/** Limit of the bytes after gzip of the main entry point of core: what every process that decides loads. */
export const CORE_BYTES = 14_000

/**
 * Ignores the paths of tsconfig.json, which lead to the sources.
 * @param {string} contents
 * @param {import('esbuild').BuildOptions} [more]
 */
async function bundled(contents, more = {}) {
  const { outputFiles = [], metafile } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    platform: 'node',
    format: 'esm',
    tsconfigRaw: {},
    logLevel: 'error',
    write: false,
    metafile: true,
    absWorkingDir: ROOT,
    ...more,
  })
  return { outputFiles, outputs: metafile?.outputs ?? {} }
}

/**
 * Minified bytes after gzip of the code that loads at once, without what loads when a config needs it.
 * @param {string} contents
 * @param {string[]} [external]
 */
export async function bytesAtOnce(contents, external = []) {
  const { outputFiles, outputs } = await bundled(contents, {
    minify: true,
    splitting: true,
    outdir: '.',
    external,
  })
  const needed = new Set(['stdin.js'])
  for (const name of needed)
    for (const { path, kind, external: isExternal } of outputs[name]?.imports ?? [])
      if (kind === 'import-statement' && isExternal !== true) needed.add(path)
  return outputFiles
    .filter((file) => [...needed].some((name) => file.path === `${ROOT}/${name}`))
    .reduce((sum, { contents: code }) => sum + gzipSync(code).length, 0)
}

export const coreBytes = () => bytesAtOnce("export * from '@signalbox/core'")

export const guardrailsBytes = () =>
  bytesAtOnce("export { createGuardrails } from '@signalbox/runtime'")

/**
 * Entry points through which other packages load zod. esbuild runs a module lazily if any module imports it lazily. For a package that
 * declares no side effects, such as zod, esbuild 0.28 runs it only for entry points that are imported lazily themselves. The runtime uses
 * the same entry point of zod as the AI SDK, LangChain and the MCP SDK.
 */
const LATE = ['ai', 'langchain', '@modelcontextprotocol/sdk/client/index.js', '@openai/agents']

/**
 * Reason why a program that bundles createGuardrails and imports another package lazily does not start; null: it starts.
 * @param {string} late
 */
async function startProblem(late) {
  const { outputFiles } = await bundled(
    `import { createRequire } from 'node:module'
     import { createGuardrails } from '@signalbox/runtime'
     globalThis.require = createRequire('${ROOT}/package.json')
     createGuardrails({ config: { schema_version: 1, ns: 'a', key: 'b' } }).openSession()
     if (process.argv.includes('late')) await import('${late}')`,
  )
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-'], {
    input: outputFiles[0]?.contents,
    encoding: 'utf8',
  })
  return status === 0 ? null : `With a late import of ${late}, a bundle does not start: ${stderr}`
}

/** @returns {Promise<string[]>} */
export async function bundleProblems() {
  const [core, bytes] = await Promise.all([coreBytes(), guardrailsBytes()])
  const problems = await Promise.all(LATE.map(startProblem))
  return [
    core > CORE_BYTES
      ? `The main entry point of core is ${core} bytes in a bundle, and may be ${CORE_BYTES}`
      : null,
    bytes > GUARDRAILS_BYTES
      ? `createGuardrails needs ${bytes} bytes in a bundle, and may need ${GUARDRAILS_BYTES}`
      : null,
    ...problems,
  ].filter((problem) => problem !== null)
}

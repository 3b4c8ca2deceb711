// Bundle sizes as users of the packages get them: all exports of an entry point, minified by esbuild, gzip.
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import {
  CORE_BYTES,
  coreBytes,
  GUARDRAILS_BYTES,
  guardrailsBytes,
} from '../scripts/guardrails-bundle.mjs'
import { note, row, section } from './report.mjs'

const RUNTIME_KB = 40
/** Entry points of core without dependencies, besides the main one. */
const FURTHER = ['host', 'snapshot', 'lint', 'analysis']

/** Bytes after gzip of a bundle that exports all of these files. @param {readonly string[]} files @param {readonly string[]} external */
async function measureBundle(files, external = []) {
  const result = await build({
    stdin: {
      contents: files.map((file) => `export * from './packages/${file}'`).join('\n'),
      resolveDir: process.cwd(),
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    external: [...external],
    write: false,
  })
  return gzipSync(result.outputFiles[0].contents).length
}

function print(name, bytes, limitKb) {
  row(name, {
    figure: `${(bytes / 1000).toFixed(2)} kB`,
    bars: limitKb === undefined ? [] : [{ text: `≤ ${limitKb} kB`, met: bytes <= limitKb * 1000 }],
  })
}

export async function run() {
  section('Size: all exports of an entry point, without tree shaking; minified by esbuild, gzip')
  const main = 'core/dist/index.js'
  print('@signalbox/core: compile, decide, fold', await coreBytes(), CORE_BYTES / 1000)
  for (const entryPoint of FURTHER) {
    print(`  with /${entryPoint}`, await measureBundle([main, `core/dist/${entryPoint}/index.js`]))
  }
  print(
    '@signalbox/runtime, without core, wire and zod',
    await measureBundle(['runtime/dist/index.js'], ['@signalbox/*', 'zod']),
    RUNTIME_KB,
  )
  print('createGuardrails with all that it needs', await guardrailsBytes(), GUARDRAILS_BYTES / 1000)
  note(
    'The limit of core applies to its main entry point, which is all that decisions need. The runtime also loads /host, /snapshot and',
  )
  note(
    '/lint (checks a document once, when it is loaded), and /expression (CEL, 72 kB) with the first config that needs it.',
  )
}

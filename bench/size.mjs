// Bundle sizes as users of the packages get them: all exports of an entry point, minified by esbuild, gzip. Code that loads with a config that
// needs it is not counted.
import {
  bytesAtOnce,
  CORE_BYTES,
  coreBytes,
  GUARDRAILS_BYTES,
  guardrailsBytes,
} from '../scripts/guardrails-bundle.mjs'
import { note, row, section } from './report.mjs'

const RUNTIME_KB = 40
/** Entry points of core without dependencies, besides the main one. */
const FURTHER = ['host', 'snapshot', 'lint', 'analysis']

function print(name, bytes, limitKb) {
  row(name, {
    figure: `${(bytes / 1000).toFixed(2)} kB`,
    bars: limitKb === undefined ? [] : [{ text: `≤ ${limitKb} kB`, met: bytes <= limitKb * 1000 }],
  })
}

export async function run() {
  section('Size: all exports of an entry point, without tree shaking; minified by esbuild, gzip')
  print('@signalbox/core: compile, decide, fold', await coreBytes(), CORE_BYTES / 1000)
  for (const entryPoint of FURTHER) {
    const both = ['@signalbox/core', `@signalbox/core/${entryPoint}`]
    const exported = both.map((name) => `export * from '${name}'`).join('\n')
    print(`  with /${entryPoint}`, await bytesAtOnce(exported))
  }
  print(
    '@signalbox/runtime, without core, wire and zod',
    await bytesAtOnce("export * from './packages/runtime/dist/index.js'", ['@signalbox/*', 'zod']),
    RUNTIME_KB,
  )
  print('createGuardrails with all that it needs', await guardrailsBytes(), GUARDRAILS_BYTES / 1000)
  note(
    'The limit of core applies to its main entry point, which is all that decisions need. The runtime also loads /host, /snapshot and',
  )
  note(
    '/lint (checks a document once, when it is loaded), and with the first config that needs it /expression (CEL, 72 kB) or the detectors of',
  )
  note('content (141 kB), which this section does not count.')
}

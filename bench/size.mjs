// Bundle sizes as a user of the packages gets them: minified, gzip.
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { row, section } from './report.mjs'

const LIMITS_KB = { core: 12, runtime: 40 }

export async function run() {
  section('Size, minified and gzip')
  for (const [name, limit] of Object.entries(LIMITS_KB)) {
    const result = await build({
      entryPoints: [`packages/${name}/dist/index.js`],
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      external: name === 'core' ? [] : ['@signalbox/*', 'zod'],
      write: false,
    })
    const bytes = gzipSync(result.outputFiles[0].contents).length
    row(`@signalbox/${name}`, {
      figure: `${(bytes / 1000).toFixed(1)} kB`,
      bars: [{ text: `≤ ${limit} kB`, met: bytes <= limit * 1000 }],
    })
  }
}

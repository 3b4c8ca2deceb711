// @ts-check
import path from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './build-steps.mjs'

/**
 * The build of jsonc-parser that Node.js loads requires its parts by names that bundlers cannot resolve; the other build has no default
 * export.
 * @type {import('esbuild').Plugin}
 */
const wholeJsonc = {
  name: 'jsonc-parser',
  setup(builder) {
    builder.onResolve({ filter: /^jsonc-parser$/ }, ({ path: name }) => ({
      path: name,
      namespace: 'whole',
    }))
    builder.onLoad({ filter: /./, namespace: 'whole' }, () => ({
      contents: "export * as default from 'jsonc-parser/lib/esm/main.js'",
      resolveDir: path.join(ROOT, 'packages/cli'),
    }))
  },
}

/**
 * `entry`: the compiled main.js, or main.ts. Each command loads only its parts, which are files next to `outfile`. Returns the bundled files,
 * relative to the root.
 * @param {string} entry
 * @param {string} outfile
 */
export async function bundleCommand(entry, outfile) {
  const { dir, name, ext } = path.parse(outfile)
  const { metafile } = await build({
    entryPoints: [{ in: entry, out: name }],
    absWorkingDir: ROOT,
    outdir: dir,
    outExtension: { '.js': ext },
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    legalComments: 'none',
    logLevel: 'error',
    plugins: [wholeJsonc],
    ...(entry.endsWith('.ts') ? { tsconfig: path.join(ROOT, 'tsconfig.json') } : {}),
    // Bundled CommonJS modules, such as commander, load modules of Node.js with require.
    banner: {
      js: "import { createRequire as requireAs } from 'node:module'; const require = requireAs(import.meta.url)",
    },
  })
  return Object.keys(metafile.inputs)
}

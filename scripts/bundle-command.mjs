// @ts-check
// The signalbox command as one file that needs no packages.
import path from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './build-steps.mjs'

/** The form of jsonc-parser that Node.js loads asks for its parts by names that no bundler finds; its other form has no default. @type {import('esbuild').Plugin} */
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
 * `entry`: main.js as compiled, or main.ts from its sources. Gives the files that went into it, relative to the root.
 * @param {string} entry @param {string} outfile
 */
export async function bundleCommand(entry, outfile) {
  const { metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: ROOT,
    outfile,
    bundle: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    legalComments: 'none',
    logLevel: 'error',
    plugins: [wholeJsonc],
    ...(entry.endsWith('.ts') ? { tsconfig: path.join(ROOT, 'tsconfig.json') } : {}),
    // CommonJS modules in it, such as commander, load modules of Node.js by require.
    banner: {
      js: "import { createRequire as requireAs } from 'node:module'; const require = requireAs(import.meta.url)",
    },
  })
  return Object.keys(metafile.inputs)
}

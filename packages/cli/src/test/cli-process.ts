// The signalbox command as a process of its own, from source.
import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'

const SOURCE = path.join(import.meta.dirname, '..')

/** The form of jsonc-parser that Node.js loads asks for its parts by names that no bundler finds; its other form has no default. */
const wholeJsonc: Plugin = {
  name: 'jsonc-parser',
  setup(builder) {
    builder.onResolve({ filter: /^jsonc-parser$/ }, ({ path: name }) => ({
      path: name,
      namespace: 'whole',
    }))
    builder.onLoad({ filter: /./, namespace: 'whole' }, () => ({
      contents: "export * as default from 'jsonc-parser/lib/esm/main.js'",
      resolveDir: SOURCE,
    }))
  },
}

/** Bundles the command into `folder`; gives the file. */
export async function builtCli(folder: string): Promise<string> {
  const outfile = path.join(folder, 'signalbox.mjs')
  await build({
    entryPoints: [path.join(SOURCE, 'main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    plugins: [wholeJsonc],
    tsconfig: path.join(SOURCE, '../../../tsconfig.json'),
    // commander is CommonJS, which asks for Node's modules by require.
    banner: {
      js: "import { createRequire as requireAs } from 'node:module'; const require = requireAs(import.meta.url)",
    },
  })
  return outfile
}

export interface Started {
  readonly process: ChildProcess
  /** What it wrote to standard error so far. */
  readonly err: () => string
}

export function startCli(
  file: string,
  words: readonly string[],
  env: { readonly [name: string]: string } = {},
): Started {
  const child = spawn(process.execPath, [file, ...words], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { NODE_ENV: 'production', PATH: '/usr/local/bin:/usr/bin:/bin', ...env },
  })
  let err = ''
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString()
  })
  return { process: child, err: () => err }
}

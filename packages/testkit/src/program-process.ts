import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { build } from 'esbuild'

const PACKAGES = path.join(import.meta.dirname, '../..')

export async function startProgram(
  file: string,
  { folder, args }: { readonly folder: string; readonly args: readonly string[] },
): Promise<ChildProcess> {
  const outfile = path.join(folder, `${path.parse(file).name}.mjs`)
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    tsconfig: path.join(PACKAGES, '../tsconfig.json'),
    // The database clients are CommonJS, and load Node's modules with require.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
    external: ['pg-native'],
  })
  return spawn(process.execPath, [outfile, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
}

import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { bundleCommand } from '@/scripts/bundle-command.mjs'

const SOURCE = path.join(import.meta.dirname, '..')

export async function builtCli(folder: string): Promise<string> {
  const outfile = path.join(folder, 'signalbox.mjs')
  await bundleCommand(path.join(SOURCE, 'main.ts'), outfile)
  return outfile
}

export interface Started {
  readonly process: ChildProcess
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

import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const README = fs.readFileSync(path.join(ROOT, 'packages/agent/README.md'), 'utf8')

function block(heading: string, language: string): string {
  const section = README.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''
  return section.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? ''
}

test('the program in the README of the agent package has 20 lines at most and prints the documented output', async () => {
  const program = block('Without a control plane', 'ts')
  expect(program.split('import { z }')[1]?.trim().split('\n').length).toBeLessThanOrEqual(20)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-readme-'))
  const outfile = path.join(folder, 'program.mjs')
  await build({
    stdin: { contents: program, resolveDir: ROOT, loader: 'ts' },
    tsconfig: path.join(ROOT, 'tsconfig.json'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'silent',
  })
  const { stdout } = await promisify(execFile)(process.execPath, [outfile])
  fs.rmSync(folder, { recursive: true })
  expect(stdout).toBe(block('Without a control plane', 'text'))
}, 30_000)

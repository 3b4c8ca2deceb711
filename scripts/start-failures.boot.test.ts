// Each way in which a start can fail is one clear sentence and an exit code of its own, never a stack trace.
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'

const ROOT = path.join(import.meta.dirname, '..')
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-start-'))
  fs.chmodSync(folder, 0o755)
  cleanups.push(() => fs.rmSync(folder, { recursive: true, force: true }))
  return folder
}

function start(
  folder: string,
  more: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): ChildProcess {
  const args = ['scripts/start.mjs', '--no-demo', ...(more.args ?? ['--port', '21997'])]
  return spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, SIGNALBOX_DATA_DIR: folder, ...more.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function outcomeOf(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly said: string }> {
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { code, said: said.trim() }
}

function expectOneSentence(said: string): void {
  expect(said.split('\n')).toHaveLength(1)
  expect(said).toMatch(/[.!]$/)
  expect(said).not.toMatch(/\bat .*:\d+:\d+/)
}

it('an unknown option', async () => {
  const { code, said } = await outcomeOf(start(temporaryFolder(), { args: ['--colour'] }))
  expect(code).toBe(2)
  expectOneSentence(said)
})

it('a port in use', async () => {
  const taken = net.createServer()
  await new Promise<void>((resolve) => taken.listen(21_997, '127.0.0.1', () => resolve()))
  cleanups.push(() => taken.close())
  const { code, said } = await outcomeOf(start(temporaryFolder()))
  expect([code, said.startsWith('The port 21997 on 127.0.0.1 is in use.')]).toEqual([12, true])
  expectOneSentence(said)
})

it('a second start on the same folder, which leaves the first alone', async () => {
  const folder = temporaryFolder()
  const first = start(folder)
  const firstEnded = new Promise((resolve) => first.once('exit', resolve))
  cleanups.push(async () => {
    first.kill('SIGTERM')
    await firstEnded
  })
  await new Promise<void>((resolve) => {
    first.stdout?.on(
      'data',
      (chunk: Buffer) => chunk.toString().includes('Signalbox is ready') && resolve(),
    )
  })
  const { code, said } = await outcomeOf(start(folder, { args: ['--port', '21998'] }))
  expect([code, said.startsWith('Signalbox already runs on')]).toEqual([13, true])
  expectOneSentence(said)
  expect((await fetch('http://127.0.0.1:21997/api/health')).status).toBe(200)
})

it('a data folder that cannot be a folder', async () => {
  const file = path.join(temporaryFolder(), 'file')
  fs.writeFileSync(file, '')
  const { code, said } = await outcomeOf(start(file))
  expect(code).toBe(14)
  expectOneSentence(said)
})

it('a database folder that lost its content', async () => {
  const folder = temporaryFolder()
  fs.mkdirSync(path.join(folder, 'postgres/pg18'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'postgres/pg18/rubbish'), '')
  const { code, said } = await outcomeOf(start(folder))
  expect(code).toBe(14)
  expectOneSentence(said)
})

it('a database server that cannot be reached, without showing its password', async () => {
  const env = { DATABASE_URL: 'postgresql://me:hunter2@127.0.0.1:1/nothing' }
  const { code, said } = await outcomeOf(start(temporaryFolder(), { env }))
  expect(code).toBe(16)
  expectOneSentence(said)
  expect(said).not.toContain('hunter2')
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

function folder(): string {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-lock-'))
  onTestFinished(() => fs.rmSync(made, { recursive: true }))
  return made
}

const PROGRAM = `
import fs from 'node:fs'
import { oneAtATime } from ${JSON.stringify(path.join(import.meta.dirname, 'one-at-a-time.mjs'))}
const [lock, log] = process.argv.slice(1)
await oneAtATime(lock, async () => {
  fs.appendFileSync(log, 'in ')
  await new Promise((resolve) => setTimeout(resolve, 50))
  fs.appendFileSync(log, 'out ')
})
`

async function work(lock: string, log: string): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, lock, log], {
    stdio: 'inherit',
  })
  await once(child, 'exit')
}

test('processes that start together with one lock run one after the other', async () => {
  const [lock, log] = [path.join(folder(), 'lock'), path.join(folder(), 'log')]
  await Promise.all([work(lock, log), work(lock, log), work(lock, log)])
  expect(fs.readFileSync(log, 'utf8')).toBe('in out in out in out ')
  expect(fs.existsSync(lock)).toBe(false)
})

test('a lock of a dead process is free', async () => {
  const [lock, log] = [path.join(folder(), 'lock'), path.join(folder(), 'log')]
  const dead = spawn(process.execPath, ['-e', ''])
  await once(dead, 'exit')
  fs.writeFileSync(lock, String(dead.pid))
  await work(lock, log)
  expect(fs.readFileSync(log, 'utf8')).toBe('in out ')
})

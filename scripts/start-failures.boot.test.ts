// Each failure at the start is reported in one clear sentence with its own exit code, never as a stack trace.
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { exited, freePort, type Outcome, ProcessGroup, runToEnd } from './product-process.ts'

const processes = new ProcessGroup()
const folders: string[] = []

afterAll(() => {
  processes.endAll()
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true })
})

function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-start-'))
  // When root runs this, PostgreSQL's account must be able to read the folder.
  fs.chmodSync(folder, 0o755)
  folders.push(folder)
  return folder
}

async function failedStart(
  folder: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const port = ['--port', String(await freePort())]
  return await runToEnd(['scripts/start.mjs', '--no-demo', ...port, ...args], {
    SIGNALBOX_DATA_DIR: folder,
    ...env,
  })
}

function expectOneSentence(said: string): void {
  expect(said.split('\n')).toHaveLength(1)
  expect(said).toMatch(/[.!]$/)
  expect(said).not.toMatch(/\bat .*:\d+:\d+/)
}

it('the server refuses to start with an unknown option', async () => {
  const { code, complained } = await failedStart(temporaryFolder(), ['--color'])
  expect(code).toBe(2)
  expectOneSentence(complained)
})

it('the server refuses to start on a port in use', async () => {
  const port = await freePort()
  const taken = net.createServer()
  await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve))
  const { code, complained } = await failedStart(temporaryFolder(), ['--port', String(port)])
  taken.close()
  expect([code, complained.startsWith(`The port ${port} on 127.0.0.1 is in use.`)]).toEqual([
    12,
    true,
  ])
  expectOneSentence(complained)
})

it('a second start on the same folder is refused, and the first keeps running', async () => {
  const folder = temporaryFolder()
  const port = await freePort()
  const first = await processes.startProduct(folder, port)
  const { code, complained } = await failedStart(folder)
  expect([code, complained.startsWith('Signalbox already runs on')]).toEqual([13, true])
  expectOneSentence(complained)
  expect((await fetch(`http://127.0.0.1:${port}/api/health`)).status).toBe(200)
  first.kill('SIGTERM')
  await exited(first)
})

it('the server refuses to start with a data folder that is not a folder', async () => {
  const file = path.join(temporaryFolder(), 'file')
  fs.writeFileSync(file, '')
  const { code, complained } = await failedStart(file)
  expect(code).toBe(14)
  expect(complained).toBe(`The data folder ${file} is a file. Set SIGNALBOX_DATA_DIR to a folder.`)
})

it('the server refuses to start with an emptied database folder', async () => {
  const folder = temporaryFolder()
  fs.mkdirSync(path.join(folder, 'postgres/pg18'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'postgres/pg18/rubbish'), '')
  const { code, complained } = await failedStart(folder)
  expect(code).toBe(14)
  expectOneSentence(complained)
})

it('the server refuses to start when the database server is unreachable, and does not print its password', async () => {
  const env = { DATABASE_URL: 'postgresql://me:hunter2@127.0.0.1:1/nothing' }
  const { code, complained } = await failedStart(temporaryFolder(), [], env)
  expect(code).toBe(16)
  expectOneSentence(complained)
  expect(complained).not.toContain('hunter2')
})

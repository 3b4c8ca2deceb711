import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startEmbedded } from '../embedded.mjs'

const PATIENCE = { timeout: 50_000, interval: 20 }

function findData(folder: string): string {
  const found = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .find((name) => path.basename(name) === 'postmaster.pid')
  return path.join(folder, path.dirname(found ?? ''))
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

test.skipIf(process.getuid?.() !== 0)(
  'an embedded database in a folder that its account can no longer enter is not replaced by an empty one',
  async () => {
    const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-closed-'))
    onTestFinished(() => fs.rmSync(dataDir, { recursive: true }))
    fs.mkdirSync(path.join(dataDir, 'postgres/pg18'), { recursive: true })
    fs.chmodSync(dataDir, 0o700)
    const started = startEmbedded({ dataDir, durable: false }).then(({ stop }) => stop())
    await expect(started).rejects.toThrow(/may not enter .*, where the database is\. Let it pass/)
  },
)

test('a killed embedded database is restarted on its port, even when the first restart fails', async () => {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-watch-'))
  fs.chmodSync(dataDir, 0o755)
  onTestFinished(() => fs.rmSync(dataDir, { recursive: true, force: true }))
  fs.mkdirSync(path.join(dataDir, 'postgres'))
  const log = path.join(dataDir, 'postgres/postgres.log')
  fs.writeFileSync(log, 'of an earlier build', { mode: 0o644 })
  const lines: string[] = []
  const keepRunning = (line: string): void => void lines.push(line)
  const database = await startEmbedded({ dataDir, durable: false, keepRunning })
  onTestFinished(() => database.stop())
  expect(fs.statSync(log).mode & 0o777).toBe(0o600)

  process.kill(database.pid, 'SIGKILL')
  await vi.waitUntil(() => lines.length === 2, PATIENCE)
  expect(lines[0]).toBe('The database ended; starting it again.')
  expect(lines[1]).toMatch(/^The database is back after \d+ ms\.$/)
  expect(await answers(database.url)).toBe(true)

  // Simulates a full disk: the database ends, and does not start until something outside of it has changed.
  const data = findData(dataDir)
  const control = path.join(data, 'global/pg_control')
  const pid = Number(fs.readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  fs.renameSync(control, `${control}.away`)
  process.kill(pid, 'SIGKILL')
  const failures = (): number =>
    fs.readFileSync(log, 'utf8').split('could not open file').length - 1
  await vi.waitUntil(
    () => failures() > 1 || fs.readFileSync(log, 'utf8').split('PANIC').length > 2,
    PATIENCE,
  )
  expect(await answers(database.url)).toBe(false)
  fs.renameSync(`${control}.away`, control)
  await vi.waitUntil(() => lines.length === 4, PATIENCE)
  expect(await answers(database.url)).toBe(true)
})

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFolder, openLog, servedAddress } from './data-folder.mjs'

const address = 'http://127.0.0.1:3111'

function heldBy(holder: object | null): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-held-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  if (holder !== null) fs.writeFileSync(path.join(folder, 'start.lock'), JSON.stringify(holder))
  return folder
}

test('a data folder without a running Signalbox has no address, so that its key is sent to no one', () => {
  expect(servedAddress(heldBy(null))).toBeNull()
  // No process has the first id, and the process with the second id is not Signalbox.
  expect(servedAddress(heldBy({ pid: 2 ** 30, address }))).toBeNull()
  expect(servedAddress(heldBy({ pid: process.pid, address }))).toBeNull()
})

const readMode = (file: string): number => fs.statSync(file).mode & 0o7777

test.skipIf(process.platform === 'win32')(
  'other users cannot read the data folder and its log, even where they could before',
  () => {
    const folder = heldBy(null)
    const log = path.join(folder, 'server.log')
    fs.writeFileSync(log, 'of an earlier build', { mode: 0o644 })
    fs.chmodSync(folder, 0o777)
    openFolder(folder)
    fs.closeSync(openLog(log))
    // The group is that of PostgreSQL's account when root starts it, and may pass through.
    expect(readMode(folder)).toBe(process.getuid?.() === 0 ? 0o710 : 0o700)
    expect(readMode(log)).toBe(0o600)
    fs.chmodSync(folder, 0o700)
    openFolder(folder)
    expect(readMode(folder)).toBe(0o700)
    fs.chmodSync(folder, 0o1777)
    openFolder(folder)
    expect(readMode(folder)).toBe(0o1777)
  },
)

test('a start in a container accepts the folder of a previous container with the same process id', () => {
  const folder = heldBy(null)
  const file = path.join(folder, 'start.mjs')
  const module = path.join(import.meta.dirname, 'data-folder.mjs')
  fs.writeFileSync(
    file,
    `import fs from 'node:fs'
import { holdFolder } from ${JSON.stringify(module)}
fs.writeFileSync(${JSON.stringify(path.join(folder, 'start.lock'))}, JSON.stringify({ pid: process.pid }))
await holdFolder(${JSON.stringify(folder)})`,
  )
  const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { servedAddress } from './data-folder.mjs'

const address = 'http://127.0.0.1:3111'

function heldBy(holder: object | null): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-held-'))
  if (holder !== null) fs.writeFileSync(path.join(folder, 'start.lock'), JSON.stringify(holder))
  return folder
}

test('a data folder that no Signalbox runs on has no address, so that its key is offered to nobody', () => {
  expect(servedAddress(heldBy(null))).toBeNull()
  // No process has this number, and this one is no Signalbox.
  expect(servedAddress(heldBy({ pid: 2 ** 30, address }))).toBeNull()
  expect(servedAddress(heldBy({ pid: process.pid, address }))).toBeNull()
})

test('a start in a container takes the folder over from the one before, which had the same process number', () => {
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

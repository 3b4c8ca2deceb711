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

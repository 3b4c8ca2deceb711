import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readRecord, SessionRecord } from './session-record.ts'

function recordFile(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-record-'))
  onTestFinished(() => {
    vi.restoreAllMocks()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  const file = path.join(folder, 'one.session')
  fs.writeFileSync(file, '{"owner":"socket"}\n')
  return file
}

/** The disk stores only the start of the next line. */
function fillDisk(): void {
  const { writeSync } = fs
  vi.spyOn(fs, 'writeSync').mockImplementationOnce((descriptor, text) =>
    writeSync(descriptor, String(text).slice(0, 4)),
  )
}

const line = (id: string) => ({ id, digest: id, answer: {} })

test('a record removes a partly written line and throws, so that the next line is whole', () => {
  const file = recordFile()
  const record = new SessionRecord(file)
  record.append(line('a'))
  fillDisk()
  expect(() => record.append(line('b'))).toThrow('only part of the line')
  record.append(line('c'))
  record.close()
  expect([...(readRecord(file)?.kept.keys() ?? [])]).toEqual(['a', 'c'])
})

test('a record accepts no more lines when a partly written line cannot be removed', () => {
  const file = recordFile()
  const record = new SessionRecord(file)
  fillDisk()
  vi.spyOn(fs, 'ftruncateSync').mockImplementationOnce(() => {
    throw new Error('EIO')
  })
  expect(() => record.append(line('a'))).toThrow('only part of the line')
  expect(() => record.append(line('b'))).toThrow('The record is closed')
  record.remove()
  expect(fs.existsSync(file)).toBe(false)
})

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { JournalFile, readJournal } from './journal-file.ts'

test('a journal accepts no more lines when a partly written line cannot be removed', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-journal-'))
  onTestFinished(() => {
    vi.restoreAllMocks()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  const file = path.join(folder, 'one.ndjson')
  const journal = new JournalFile(file, { harness: 'codex', session: 'one' })
  journal.begin(null)
  journal.append('{"seq":1}')
  const { writeSync } = fs
  vi.spyOn(fs, 'writeSync').mockImplementationOnce((descriptor, text) =>
    writeSync(descriptor, String(text).slice(0, 4)),
  )
  vi.spyOn(fs, 'ftruncateSync').mockImplementationOnce(() => {
    throw new Error('EIO')
  })
  expect(() => journal.append('{"seq":2}')).toThrow('only part of the line')
  expect(() => journal.append('{"seq":2}')).toThrow('The journal is closed')
  expect(readJournal(file)?.recorded.events).toEqual(['{"seq":1}'])
})

// Scratch workspace of the demo: a small real project with changes to release, old notes, and a test that checks them.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

const CHANGES = `- Invoices are rounded to cents
- Exports keep their column order
- The login page remembers the language
`

const OLD_NOTES = `# Release notes

## 1.4.0

- First public release
`

const TEST = `import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const notes = readFileSync('RELEASE_NOTES.md', 'utf8')

test('the notes name every change', () => {
  for (const line of readFileSync('CHANGES.md', 'utf8').trim().split('\\n')) {
    assert.ok(notes.includes(line.slice(2)), line)
  }
})

test('the old notes are kept', () => {
  assert.ok(notes.includes('1.4.0'))
})
`

export const HOUSE_RULES = `# Rules of this workspace

- Name every change in one line.
- Run the tests before you publish.
`

/** Call `remove` at the end. */
export async function makeWorkspace(): Promise<{
  readonly root: string
  readonly remove: () => Promise<void>
}> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'signalbox-demo-'))
  await writeFile(path.join(root, 'CHANGES.md'), CHANGES)
  await writeFile(path.join(root, 'RELEASE_NOTES.md'), OLD_NOTES)
  await writeFile(path.join(root, 'notes.test.mjs'), TEST)
  return { root, remove: () => rm(root, { recursive: true, force: true }) }
}

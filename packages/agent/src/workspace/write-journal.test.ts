import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  folderWorkspace,
  memoryWorkspace,
  type Workspace,
  type WorkspaceTransaction,
} from './workspace.ts'

async function readJournaledFile(workspace: Workspace, file: string): Promise<string | null> {
  return (await workspace.exists(file)) ? workspace.read(file) : null
}

describe('a transaction on files', () => {
  test('restores at a rollback the files that it changed, created and removed', async () => {
    const workspace = memoryWorkspace({ changed: 'old', removed: 'old' })
    const call = workspace.begin()
    await call.write('changed', 'new')
    await call.write('made/deep', 'new')
    await call.delete('removed')
    expect(await workspace.read('changed')).toBe('new')
    expect(await call.rollback()).toEqual({ conflicts: [] })
    expect(await workspace.list()).toEqual([
      { path: 'changed', kind: 'file' },
      { path: 'removed', kind: 'file' },
    ])
    expect(await workspace.read('changed')).toBe('old')
  })

  test('keeps at a rollback a file that an editor changed meanwhile, and reports it', async () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-journal-'))
    const workspace = folderWorkspace(root)
    await workspace.write('a', 'old')
    const call = workspace.begin()
    await call.write('a', 'mine')
    fs.writeFileSync(path.join(root, 'a'), 'by an editor')
    expect(await call.rollback()).toEqual({ conflicts: ['a'] })
    expect(await workspace.read('a')).toBe('by an editor')
    fs.rmSync(root, { recursive: true })
  })

  test.each(['theirs', 'mine'])(
    'never rolls back a later write of others, even with the same text ("%s")',
    async (text) => {
      const workspace = memoryWorkspace({ a: 'old' })
      const call = workspace.begin()
      await call.write('a', 'mine')
      await workspace.write('a', text)
      expect(await call.rollback()).toEqual({ conflicts: [] })
      expect(await workspace.read('a')).toBe(text)
    },
  )

  test('restores at a rollback the permissions with the content', async () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-journal-'))
    fs.writeFileSync(path.join(root, 'run.sh'), 'old', { mode: 0o755 })
    const workspace = folderWorkspace(root)
    const call = workspace.begin()
    await call.delete('run.sh')
    await call.write('run.sh', 'new')
    await call.rollback()
    expect(await workspace.read('run.sh')).toBe('old')
    expect(fs.statSync(path.join(root, 'run.sh')).mode & 0o777).toBe(0o755)
    fs.rmSync(root, { recursive: true })
  })

  test('a transaction on files cannot be written after its end', async () => {
    const call = memoryWorkspace().begin()
    await call.commit()
    await expect(call.write('a', 'late')).rejects.toThrow('The tool call is over')
    await expect(call.rollback()).rejects.toThrow('The tool call is over')
  })

  test('a transaction on files does not restore writes of another transaction that was rolled back before it', async () => {
    const workspace = memoryWorkspace({ a: 'old' })
    const [first, second] = [workspace.begin(), workspace.begin()]
    await first.write('a', 'first')
    await second.write('a', 'second')
    await first.rollback()
    expect(await workspace.read('a')).toBe('second')
    await second.rollback()
    expect(await workspace.read('a')).toBe('old')
  })
})

const move = fc.record({
  call: fc.nat(2),
  file: fc.constantFrom('a', 'b/c'),
  text: fc.option(fc.string({ maxLength: 3 })),
  end: fc.constantFrom(null, null, 'commit' as const, 'rollback' as const),
})

interface Written {
  readonly call: WorkspaceTransaction
  readonly file: string
  readonly text: string | null
}

class Race {
  readonly workspace: Workspace
  #written: Written[] = []
  readonly #open = new Map<number, WorkspaceTransaction>()

  constructor(workspace: Workspace) {
    this.workspace = workspace
  }

  async move({ call, file, text, end }: typeof move extends fc.Arbitrary<infer M> ? M : never) {
    const transaction = this.#open.get(call) ?? this.workspace.begin()
    this.#open.set(call, transaction)
    if (end === null) {
      await (text === null ? transaction.delete(file) : transaction.write(file, text))
      this.#written.push({ call: transaction, file, text })
      return
    }
    this.#open.delete(call)
    await transaction[end]()
    if (end === 'rollback')
      this.#written = this.#written.filter((write) => write.call !== transaction)
  }

  expected(file: string): string | null {
    const last = this.#written.findLast((write) => write.file === file)
    return last === undefined ? (file === 'a' ? 'old' : null) : last.text
  }
}

describe('overlapping transactions on files', () => {
  test('a file always holds the last write that was not rolled back, else its original content', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 30 }), async (moves) => {
        const race = new Race(memoryWorkspace({ a: 'old' }))
        for (const next of moves) {
          await race.move(next)
          for (const file of ['a', 'b/c'])
            expect(await readJournaledFile(race.workspace, file)).toBe(race.expected(file))
        }
      }),
    )
  })
})

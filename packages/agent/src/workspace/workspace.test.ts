import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { folderLookup } from '@signalbox/runtime'
import { afterEach, describe, expect, test } from 'vitest'
import { folderWorkspace, memoryWorkspace, type Workspace } from './workspace.ts'

const folders: string[] = []

function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'sbx-workspace-'))
  folders.push(folder)
  return folder
}

afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true })
})

async function refusals(workspace: Workspace, file: string): Promise<readonly unknown[]> {
  const uses = [workspace.read(file), workspace.write(file, 'x'), workspace.delete(file)]
  const settled = await Promise.allSettled(uses)
  return settled.map((use) => (use.status === 'rejected' ? use.reason.code : null))
}

describe.each<[string, () => Workspace]>([
  ['in memory', () => memoryWorkspace()],
  ['on disk', () => folderWorkspace(temporaryFolder())],
])('a workspace %s', (_, open) => {
  test('returns what was written, as text and as bytes', async () => {
    const workspace = open()
    await workspace.write('notes/ä.txt', 'grün')
    expect(await workspace.read('notes/ä.txt')).toBe('grün')
    await workspace.write('raw', new Uint8Array([0, 255]))
    expect([...(await workspace.readBytes('raw'))]).toEqual([0, 255])
  })

  test('identifies a file by every spelling of its path', async () => {
    const workspace = open()
    await workspace.write('./a/../b//c.txt', 'x')
    expect(await workspace.exists('b/c.txt')).toBe(true)
    expect(await workspace.exists('b/./c.txt')).toBe(true)
  })

  test('distinguishes files, folders and nothing', async () => {
    const workspace = open()
    await workspace.write('a/b.txt', 'x')
    expect(await workspace.stat('a')).toEqual({ exists: true, kind: 'directory' })
    expect(await workspace.stat('a/b.txt')).toMatchObject({ exists: true, kind: 'file' })
    expect(await workspace.stat('a/b.txt/c')).toEqual({ exists: false })
    expect(await workspace.stat('c')).toEqual({ exists: false })
  })

  test('gives equal content the same fingerprint', async () => {
    const workspace = open()
    const fingerprint = async (text: string) => {
      await workspace.write('a', text)
      return (await workspace.stat('a')).fingerprint
    }
    const first = await fingerprint('one')
    expect(first).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(await fingerprint('two')).not.toBe(first)
    expect(await fingerprint('one')).toBe(first)
  })

  test('lists the direct content of a folder, by name', async () => {
    const workspace = open()
    for (const file of ['b.txt', 'a/x.txt', 'a/y/z.txt']) await workspace.write(file, '')
    expect(await workspace.list()).toEqual([
      { path: 'a', kind: 'directory' },
      { path: 'b.txt', kind: 'file' },
    ])
    expect(await workspace.list('a')).toEqual([
      { path: 'a/x.txt', kind: 'file' },
      { path: 'a/y', kind: 'directory' },
    ])
    await expect(workspace.list('none')).rejects.toThrow('is not a folder')
  })

  test('removes a file, and the folders that it had to create for it', async () => {
    const workspace = open()
    await workspace.write('a/b/c.txt', 'x')
    await workspace.delete('a/b/c.txt')
    await workspace.delete('never/there.txt')
    await workspace.write('file', 'x')
    await workspace.delete('file/never/there.txt')
    expect(await workspace.exists('a')).toBe(false)
  })

  test('reports the reason when a file is unavailable', async () => {
    const workspace = open()
    await workspace.write('a/b', 'x')
    await expect(workspace.read('c')).rejects.toThrow("The file 'c' does not exist.")
    await expect(workspace.read('a')).rejects.toMatchObject({ code: 'file_unavailable' })
    await expect(workspace.write('a', 'x')).rejects.toMatchObject({ code: 'file_unavailable' })
    await expect(workspace.write('a/b/c', 'x')).rejects.toMatchObject({ code: 'file_unavailable' })
    await expect(workspace.delete('a')).rejects.toMatchObject({ code: 'file_unavailable' })
    await expect(workspace.write('.', 'x')).rejects.toMatchObject({ code: 'file_unavailable' })
    expect(await workspace.read('a/b')).toBe('x')
  })

  test.each(['..', '../a', 'a/../../b', 'nul\0byte', ''])('refuses the path "%s"', async (file) => {
    const workspace = open()
    expect(await refusals(workspace, file)).toEqual(Array(3).fill('outside_workspace'))
    await expect(workspace.list(file)).rejects.toMatchObject({ code: 'outside_workspace' })
  })
})

describe('a workspace folder', () => {
  test('a workspace folder may be named by its absolute path or its mount point', async () => {
    const root = temporaryFolder()
    const workspace = folderWorkspace(root, { mountPoint: '/workspace' })
    await workspace.write('/workspace/a.txt', 'x')
    expect(await workspace.read(path.join(root, 'a.txt'))).toBe('x')
    await expect(workspace.read('/etc/passwd')).rejects.toMatchObject({ code: 'outside_workspace' })
  })

  test.each([
    ['a link to a file outside', (to: string) => path.join(to, 'secret.txt'), 'link'],
    ['a link to a folder outside', (to: string) => to, 'link/secret.txt'],
    [
      'a link to a file outside that does not exist yet',
      (to: string) => path.join(to, 'new'),
      'link',
    ],
    ['a new file below a link to a folder outside', (to: string) => to, 'link/new/file'],
  ])('does not resolve %s to a file outside it', async (_, resolveTarget, file) => {
    const [root, other] = [temporaryFolder(), temporaryFolder()]
    fs.writeFileSync(path.join(other, 'secret.txt'), 'secret')
    fs.symlinkSync(resolveTarget(other), path.join(root, 'link'))
    const workspace = folderWorkspace(root)
    expect(await refusals(workspace, file)).toEqual(Array(3).fill('outside_workspace'))
    expect(await workspace.stat(file)).toEqual({ exists: 'unknown' })
    expect(await folderLookup(root).lookUp(file)).toEqual({ exists: 'unknown' })
    expect(fs.readdirSync(other)).toEqual(['secret.txt'])
    expect(fs.readFileSync(path.join(other, 'secret.txt'), 'utf8')).toBe('secret')
  })

  test('follows links inside it, and writes to their targets', async () => {
    const root = temporaryFolder()
    fs.writeFileSync(path.join(root, 'real.txt'), 'old')
    fs.symlinkSync('real.txt', path.join(root, 'link'))
    const workspace = folderWorkspace(root)
    await workspace.write('link', 'new')
    expect(fs.readFileSync(path.join(root, 'real.txt'), 'utf8')).toBe('new')
    expect(fs.lstatSync(path.join(root, 'link')).isSymbolicLink()).toBe(true)
    expect(await workspace.list()).toEqual([
      { path: 'link', kind: 'file' },
      { path: 'real.txt', kind: 'file' },
    ])
  })

  test('keeps the permissions of a rewritten file, and leaves no other file next to it', async () => {
    const root = temporaryFolder()
    fs.writeFileSync(path.join(root, 'run.sh'), 'old')
    fs.chmodSync(path.join(root, 'run.sh'), 0o755)
    const workspace = folderWorkspace(root)
    await workspace.write('run.sh', 'new')
    expect(fs.statSync(path.join(root, 'run.sh')).mode & 0o777).toBe(0o755)
    expect(fs.readdirSync(root)).toEqual(['run.sh'])
  })

  test('a workspace folder does not remove a folder that it did not create', async () => {
    const root = temporaryFolder()
    fs.mkdirSync(path.join(root, 'kept'))
    const workspace = folderWorkspace(root)
    await workspace.write('kept/a', 'x')
    await workspace.delete('kept/a')
    expect(fs.readdirSync(root)).toEqual(['kept'])
  })

  test('gives guardrails facts about the same files', async () => {
    const root = temporaryFolder()
    const workspace = folderWorkspace(root)
    await workspace.write('a.txt', 'x')
    expect(await workspace.lookup().lookUp('a.txt')).toEqual(await workspace.stat('a.txt'))
    expect(await folderLookup(root).lookUp('a.txt')).toEqual(await workspace.stat('a.txt'))
  })
})

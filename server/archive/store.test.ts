import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { openS3Store } from './s3-store.ts'
import { type ArchiveStore, openFolderStore } from './store.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-store-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

declare module 'vitest' {
  interface ProvidedContext {
    /** `http://keyId:secret@host:port/bucket` of a service for these tests; empty: a bucket is not tried. */
    readonly bucket: string
  }
}

const service = inject('bucket')

function openTestBucket(address: string): ArchiveStore {
  const { origin, username: keyId, password: secret, pathname } = new URL(address)
  const [, name = ''] = pathname.split('/')
  const prefix = `test-${Date.now()}/`
  return openS3Store({ endpoint: origin, region: 'us-east-1', name, prefix, keyId, secret })
}

const STORES: readonly (readonly [string, ArchiveStore])[] = [
  ['folder', openFolderStore(folder)],
  ...(service === '' ? [] : [['bucket', openTestBucket(service)] as const]),
]

describe.each(STORES)('a %s as archive', (_, store) => {
  const name = 'prj_1/file.ndjson.gz'
  const bytes = Buffer.from('0123456789')

  test('gives back what was written, whole and in part', async () => {
    await store.write(name, bytes)
    expect(await store.read(name)).toEqual(bytes)
    expect(await store.read(name, { start: 3, bytes: 4 })).toEqual(Buffer.from('3456'))
    expect(await store.read(name, { start: 8, bytes: 4 })).toEqual(Buffer.from('89'))
    expect(await store.read(name, { start: 20, bytes: 4 })).toEqual(Buffer.alloc(0))
  })

  test('replaces a file that is written again', async () => {
    await store.write(name, bytes)
    await store.write(name, Buffer.from('other'))
    expect(await store.read(name)).toEqual(Buffer.from('other'))
  })

  test('has no file that was removed or never written', async () => {
    await store.write(name, bytes)
    await store.remove(name)
    await store.remove(name)
    expect(await store.read(name)).toBeNull()
    expect(await store.read(name, { start: 0, bytes: 1 })).toBeNull()
    expect(await store.read('prj_2/file.ndjson.gz')).toBeNull()
  })
})

test('a folder as archive keeps nothing of a write that failed, and lets no other user read', async () => {
  const store = openFolderStore(folder)
  fs.mkdirSync(path.join(folder, 'prj_3/taken'), { recursive: true })
  await expect(store.write('prj_3/taken', Buffer.from('a'))).rejects.toThrow()
  expect(fs.readdirSync(path.join(folder, 'prj_3'))).toEqual(['taken'])
  await store.write('prj_4/a', Buffer.from('a'))
  expect(fs.statSync(path.join(folder, 'prj_4')).mode & 0o77).toBe(0)
  expect(fs.statSync(path.join(folder, 'prj_4/a')).mode & 0o77).toBe(0)
})

// A file is written once, whole, under a name that contains its digest, and never changed.

import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { isAbsent } from '@/server/platform/base/errors.ts'

/** Names are relative paths with `/`. */
export interface ArchiveStore {
  /** When it resolves, the file survives a power failure. */
  write(name: string, bytes: Buffer): Promise<void>
  /** Shorter than `range` where the file ends earlier. Null: there is no such file. */
  read(name: string, range?: ByteRange): Promise<Buffer | null>
  /** Resolves, too, when there is no such file. */
  remove(name: string): Promise<void>
}

export interface ByteRange {
  readonly start: number
  readonly bytes: number
}

/** Makes new names in the folder durable. Windows cannot flush a folder, and need not. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await fs.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function readRange(file: string, { start, bytes }: ByteRange): Promise<Buffer> {
  const handle = await fs.open(file, 'r')
  try {
    const content = Buffer.alloc(bytes)
    const { bytesRead } = await handle.read(content, 0, bytes, start)
    return content.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

export function openFolderStore(folder: string): ArchiveStore {
  const locate = (name: string): string => path.join(folder, name)
  return {
    async write(name, bytes) {
      const file = locate(name)
      const parent = path.dirname(file)
      await fs.mkdir(parent, { recursive: true, mode: 0o700 })
      const unfinished = `${file}.${randomUUID()}`
      try {
        await fs.writeFile(unfinished, bytes, { flag: 'wx', mode: 0o600, flush: true })
        await fs.rename(unfinished, file)
      } catch (error) {
        await fs.rm(unfinished, { force: true })
        throw error
      }
      await flushFolder(parent)
      await flushFolder(folder)
    },
    async read(name, range) {
      try {
        return await (range === undefined
          ? fs.readFile(locate(name))
          : readRange(locate(name), range))
      } catch (error) {
        if (isAbsent(error)) return null
        throw error
      }
    },
    async remove(name) {
      await fs.rm(locate(name), { force: true })
    },
  }
}

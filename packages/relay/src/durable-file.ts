import { existsSync, readFileSync, renameSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { isJsonObject, type JsonObject } from '@signalbox/core'

/** Resolves once the content and its name are on the disk. */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  const fresh = `${file}.new`
  try {
    await fs.writeFile(fresh, content, { mode: 0o600, flush: true })
    await fs.rename(fresh, file)
  } catch (error) {
    // Unfinished files must not fill the disk.
    await fs.rm(fresh, { force: true }).catch(() => undefined)
    throw error
  }
  await flushFolder(path.dirname(file))
}

/** Flushes the folder, which stores the name of a new file. Windows cannot flush a folder, and need not. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await fs.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** null: the file does not exist or is torn. A torn file is renamed and reported; its content is fetched again. */
export function readKept(file: string, report: (line: string) => void): JsonObject | null {
  if (!existsSync(file)) return null
  const value = parseDurableJson(readFileSync(file, 'utf8'))
  if (isJsonObject(value)) return value
  renameSync(file, `${file}.broken`)
  const name = path.basename(file)
  report(`${name} cannot be read and was renamed to ${name}.broken; its content is collected again`)
  return null
}

function parseDurableJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

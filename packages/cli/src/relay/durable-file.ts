// Files that are there whole, or not at all, after a kill or a power failure.
import fs from 'node:fs/promises'
import path from 'node:path'

/** Resolves once the content and its name are on the disk. */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  const fresh = `${file}.new`
  await fs.writeFile(fresh, content, { mode: 0o600, flush: true })
  await fs.rename(fresh, file)
  await flushFolder(path.dirname(file))
}

/** The name of a new file lies in its folder; some systems cannot flush one, and need not. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await fs.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

// Scratch workspace of a story.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

/** Call `remove` at the end. */
export async function makeWorkspace(files: Readonly<Record<string, string>>): Promise<{
  readonly root: string
  readonly remove: () => Promise<void>
}> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'signalbox-demo-'))
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  return { root, remove: () => rm(root, { recursive: true, force: true }) }
}

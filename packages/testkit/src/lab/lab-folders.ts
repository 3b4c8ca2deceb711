// Temporary folders of one harness run: a separate home and workspace, so that no file of the user is read or written.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

export interface LabFolders {
  readonly home: string
  readonly workspace: string
  remove(): void
}

/** @param files contents by path, relative to the workspace */
export function makeLabFolders(files: { readonly [path: string]: string } = {}): LabFolders {
  // Harnesses report real paths, and some systems link the temporary folder.
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-lab-')))
  const home = path.join(root, 'home')
  const workspace = path.join(root, 'workspace')
  fs.mkdirSync(home)
  fs.mkdirSync(workspace)
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(workspace, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, content)
  }
  return {
    home,
    workspace,
    remove: () => fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  }
}

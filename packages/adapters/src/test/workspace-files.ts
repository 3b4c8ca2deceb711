import fs from 'node:fs'
import path from 'node:path'

/** Texts by relative path; folders whose name begins with a dot are left out. */
export function textFilesIn(root: string): { readonly [path: string]: string } {
  const files: Record<string, string> = {}
  const entries = fs.readdirSync(root, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const file = path.relative(root, path.join(entry.parentPath, entry.name))
    if (entry.isFile() && !file.startsWith('.'))
      files[file.split(path.sep).join('/')] = fs.readFileSync(path.join(root, file), 'utf8')
  }
  return files
}

// Proof that a client and this process see the same folder.
import fs from 'node:fs/promises'
import path from 'node:path'

/** True if `folder`, which is absolute, is one of the roots or lies below one. */
export function isBelowRoot(folder: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const way = path.relative(root, folder)
    return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
  })
}

/**
 * True if the folder contains the file `.signalbox-<nonce>` with the nonce as its content, and lies below a root also without links. Never
 * rejects. `nonce` has only hexadecimal digits.
 */
export async function hasSharedRoot(
  folder: string,
  nonce: string,
  roots: readonly string[],
): Promise<boolean> {
  try {
    const real = await fs.realpath(folder)
    const realRoots = await Promise.all(roots.map((root) => fs.realpath(root).catch(() => root)))
    if (!isBelowRoot(real, realRoots)) return false
    const file = path.join(real, `.signalbox-${nonce}`)
    if (!(await fs.lstat(file)).isFile()) return false
    return (await fs.readFile(file, 'utf8')).trim() === nonce
  } catch {
    return false
  }
}

// @ts-check
// Digest of files by path below a root and content: the same in a copied, moved or freshly cloned tree.
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

const IGNORED = new Set(['node_modules', 'dist', '.next', 'generated', '.signalbox', '__pycache__'])
/** No build uses them. */
const UNBUILT = /\.(tsbuildinfo|test\.tsx?)$/

/**
 * @param {string} root
 * @param {readonly string[]} inputs files and folders relative to `root`; a missing one counts as absent
 */
export function computeStamp(root, inputs) {
  const hash = crypto.createHash('sha256')
  for (const input of inputs) addTo(hash, root, input)
  return hash.digest('hex')
}

/** @param {crypto.Hash} hash @param {string} root @param {string} name relative to `root` */
function addTo(hash, root, name) {
  const file = path.join(root, name)
  if (!fs.existsSync(file)) return
  if (!fs.statSync(file).isDirectory()) {
    const content = fs.readFileSync(file)
    hash.update(`${name.split(path.sep).join('/')}\0${content.length}\0`).update(content)
    return
  }
  for (const entry of fs.readdirSync(file).sort()) {
    if (!IGNORED.has(entry) && !UNBUILT.test(entry)) addTo(hash, root, path.join(name, entry))
  }
}

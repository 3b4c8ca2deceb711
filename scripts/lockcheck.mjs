// Each must contain the packages of every platform, or `npm ci` fails on the missing ones, and must name no registry. Arguments: lock files.
import fs from 'node:fs'

const LOCKS = [
  'package-lock.json',
  'packages/testkit/harnesses/first/package-lock.json',
  'packages/testkit/harnesses/second/package-lock.json',
  'bench/mutation/package-lock.json',
]

/** npm searches for a dependency beside its dependent, then in each parent folder. */
function isInstalled(present, dependent, name) {
  for (let base = dependent; ; ) {
    if (present.has(`${base === '' ? '' : `${base}/`}node_modules/${name}`)) return true
    if (base === '') return false
    base = base.slice(0, Math.max(0, base.lastIndexOf('node_modules/') - 1))
  }
}

function findLockProblems(file) {
  const { packages } = JSON.parse(fs.readFileSync(file, 'utf8'))
  const present = new Set(Object.keys(packages))
  const missing = Object.entries(packages).flatMap(([dependent, entry]) =>
    Object.keys(entry.optionalDependencies ?? {})
      .filter((name) => !isInstalled(present, dependent, name))
      .map((name) => `missing in ${file}: ${name}, required by ${dependent}`),
  )
  const named = Object.entries(packages)
    .filter(([, { resolved }]) => /^(git\+)?https?:/.test(resolved ?? ''))
    .map(([name]) => `registry named in ${file}: ${name}`)
  return { missing, named }
}

const given = process.argv.slice(2)
const found = (given.length > 0 ? given : LOCKS).map(findLockProblems)
const missing = found.flatMap((lock) => lock.missing)
const named = found.flatMap((lock) => lock.named)
for (const line of [...missing, ...named]) console.error(line)
console.log(`missing optional: ${missing.length}`)
if (named.length > 0) console.log(`registry named: ${named.length}`)
process.exit(missing.length + named.length === 0 ? 0 : 1)

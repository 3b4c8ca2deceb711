// The lock must hold every platform's packages, or `npm ci` fails on the platforms that it misses.
import fs from 'node:fs'

const lock = JSON.parse(fs.readFileSync(process.argv[2] ?? 'package-lock.json', 'utf8'))
const present = new Set(Object.keys(lock.packages))

/** npm looks for a dependency beside its dependent first, then in each folder above. */
function isInstalled(dependent, name) {
  for (let base = dependent; ; ) {
    if (present.has(`${base === '' ? '' : `${base}/`}node_modules/${name}`)) return true
    if (base === '') return false
    base = base.slice(0, Math.max(0, base.lastIndexOf('node_modules/') - 1))
  }
}

const missing = Object.entries(lock.packages).flatMap(([dependent, entry]) =>
  Object.keys(entry.optionalDependencies ?? {})
    .filter((name) => !isInstalled(dependent, name))
    .map((name) => `${name}, wanted by ${dependent}`),
)
for (const line of missing) console.error(`missing: ${line}`)
console.log(`missing optional: ${missing.length}`)
process.exit(missing.length === 0 ? 0 : 1)

import fs from 'node:fs'

const l = JSON.parse(fs.readFileSync(process.argv[2] ?? 'package-lock.json'))
const have = new Set(Object.keys(l.packages))
let bad = 0
for (const [k, p] of Object.entries(l.packages))
  for (const [d, v] of Object.entries(p.optionalDependencies ?? {})) {
    let base = k,
      ok = false
    for (;;) {
      const q = (base ? base + '/' : '') + 'node_modules/' + d
      if (have.has(q)) {
        ok = true
        break
      }
      if (!base) break
      const i = base.lastIndexOf('node_modules/')
      base = base.slice(0, Math.max(0, i - 1))
    }
    if (!ok) {
      bad++
      console.log('missing', d, v, 'wanted by', k)
    }
  }
for (const [k, p] of Object.entries(l.packages)) {
  if (k.includes('node_modules/') && !p.link && (!p.version || !p.integrity))
    console.log('no version/integrity', k, p.version)
}
console.log('missing optional:', bad)
process.exit(bad ? 1 : 0)

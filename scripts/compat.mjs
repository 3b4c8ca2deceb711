// @ts-check
// npm run compat: runs the compatibility kit over every harness that can be installed, prints the matrix, and writes specs/compatibility.md
// when every scenario passed. `--tier first` skips the second tier.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { prepare, ROOT } from './build-steps.mjs'
import { ensureHarnesses } from './harnesses.mjs'

const KIT = 'compatibility of '
const PAGE = 'packages/adapters/src/test/compatibility-page.test.ts'
const SIGNS = { passed: '✓', failed: '✗', pending: '–', skipped: '–' }

/** @param {readonly string[]} words @param {string} [stdio] */
function vitest(words, stdio = 'inherit') {
  const program = path.join(ROOT, 'node_modules/vitest/vitest.mjs')
  return spawnSync(process.execPath, [program, 'run', ...words], {
    cwd: ROOT,
    // Runs every scenario in every way, not the sample of npm test.
    env: { ...process.env, SOAK: '1' },
    stdio: stdio === 'inherit' ? 'inherit' : ['ignore', 'ignore', 'inherit'],
  }).status
}

await prepare({ web: false })
const tiers = /** @type {const} */ (
  process.argv.includes('first') ? ['first'] : ['first', 'second']
)
const missing = tiers.map(ensureHarnesses).filter((reason) => reason !== null)
for (const reason of missing) process.stderr.write(`${reason}\n`)

const report = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-compat-')), 'kit.json')
const files = ['.compat.', '.harness.test.ts']
vitest([...files, '-t', KIT, '--reporter=json', `--outputFile.json=${report}`], 'quiet')

/** @type {Map<string, Map<string, string>>} by scenario, then by harness */
const proofs = new Map()
/** @type {Set<string>} */
const harnesses = new Set()
let failed = 0
for (const { assertionResults } of JSON.parse(fs.readFileSync(report, 'utf8')).testResults) {
  for (const { ancestorTitles, title, status, failureMessages } of assertionResults) {
    const group = ancestorTitles.find((/** @type {string} */ name) => name.startsWith(KIT))
    if (group === undefined) continue
    const harness = group.slice(KIT.length)
    harnesses.add(harness)
    const row = proofs.get(title) ?? new Map()
    proofs.set(title, row.set(harness, SIGNS[/** @type {keyof typeof SIGNS} */ (status)] ?? '?'))
    if (status !== 'failed') continue
    failed += 1
    process.stdout.write(`✗ ${harness}: ${title}\n${failureMessages[0] ?? ''}\n`)
  }
}
const names = [...harnesses].sort()
process.stdout.write(`\n${names.map((name, index) => `${index + 1} ${name}`).join('\n')}\n\n`)
for (const [scenario, row] of proofs) {
  const cells = names.map((name) => row.get(name) ?? ' ').join('  ')
  process.stdout.write(`${cells}  ${scenario}\n`)
}
process.stdout.write(`\n${names.length} harnesses, ${failed} failures\n`)
if (failed > 0 || missing.length > 0 || tiers.length === 1) {
  process.stdout.write('specs/compatibility.md was not changed.\n')
  process.exit(failed > 0 || missing.length > 0 ? 1 : 0)
}
process.exit(vitest([PAGE, '--update']) ?? 1)

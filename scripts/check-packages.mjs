// @ts-check
// The packages' doors, as their users will find them: publint and "are the types wrong" on the built packages.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { ROOT } from './build-steps.mjs'

const PACKAGES = ['core', 'wire', 'runtime', 'cli']
/** What no door names and every user needs. @type {{ [name: string]: readonly string[] }} */
const MUST_HOLD = { cli: ['dist/portable-page.html'] }
const attw = path.join(
  path.dirname(fileURLToPath(import.meta.resolve('@arethetypeswrong/cli/package.json'))),
  'dist/index.js',
)

/** @param {string} place @returns {Promise<string[]>} */
async function doorProblems(place) {
  const manifest = JSON.parse(fs.readFileSync(path.join(place, 'package.json'), 'utf8'))
  const { messages } = await publint({ pkgDir: place, strict: true })
  return messages.map(
    (message) => formatMessage(message, manifest, { color: false }) ?? message.code,
  )
}

/** @param {string} name @param {string} place @param {string} folder @returns {string[]} */
function typeProblems(name, place, folder) {
  const packed = spawnSync('npm', ['pack', '--json', '--silent', '--pack-destination', folder], {
    cwd: place,
    encoding: 'utf8',
  })
  if (packed.status !== 0) return [`npm pack failed: ${packed.stderr}`]
  const [{ filename, files }] = JSON.parse(packed.stdout)
  const lacking = (MUST_HOLD[name] ?? []).filter(
    (one) => !files.some((/** @type {{ path: string }} */ held) => held.path === one),
  )
  if (lacking.length > 0) return lacking.map((one) => `${one} is not in the package`)
  const file = path.join(folder, filename)
  const checked = spawnSync(process.execPath, [attw, '--profile', 'esm-only', '--no-color', file], {
    encoding: 'utf8',
  })
  return checked.status === 0 ? [] : [`${checked.stdout}${checked.stderr}`]
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-pack-'))
let failed = 0
for (const name of PACKAGES) {
  const place = path.join(ROOT, 'packages', name)
  const problems = [...(await doorProblems(place)), ...typeProblems(name, place, folder)]
  for (const problem of problems) console.error(`${name}: ${problem}`)
  failed += problems.length
}
fs.rmSync(folder, { recursive: true, force: true })
console.log(`${PACKAGES.length} packages, ${failed} problems`)
process.exit(failed === 0 ? 0 : 1)

// @ts-check
// The packages' doors, as their users will find them: publint and "are the types wrong" on the built packages.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ROOT } from './build-steps.mjs'

const PACKAGES = ['core', 'wire', 'runtime', 'cli']
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-pack-'))
let failed = 0

/** @param {string} name @param {readonly string[]} args */
function check(name, args) {
  const result = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  if (result.status === 0) return
  failed += 1
  console.error(`${name}:\n${result.stdout}${result.stderr}`)
}

try {
  for (const name of PACKAGES) {
    const place = path.join(ROOT, 'packages', name)
    const packed = spawnSync('npm', ['pack', '--json', '--silent', '--pack-destination', folder], {
      cwd: place,
      encoding: 'utf8',
    })
    const file = path.join(
      folder,
      fs.readdirSync(folder).find((entry) => entry.includes(`-${name}-`)) ?? 'missing',
    )
    if (packed.status !== 0 || !fs.existsSync(file))
      throw new Error(`npm pack failed for ${name}: ${packed.stderr}`)
    check(`publint ${name}`, ['node_modules/publint/src/cli.js', '--strict', file])
    check(`attw ${name}`, [
      'node_modules/@arethetypeswrong/cli/dist/index.js',
      '--profile',
      'esm-only',
      '--no-color',
      file,
    ])
  }
} finally {
  fs.rmSync(folder, { recursive: true, force: true })
}
console.log(`${PACKAGES.length} packages, ${failed} problems`)
process.exit(failed === 0 ? 0 : 1)

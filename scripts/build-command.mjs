// @ts-check
// The command as the control plane gives it away: one bundled program without dependencies, packed as dist/packages/signalbox-<version>.tgz.
// The same sources and the same Node.js give the same bytes.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ROOT } from './build-steps.mjs'
import { bundleCommand } from './bundle-command.mjs'
import { listLicenses } from './installed-packages.mjs'

const OUTPUT = path.join(ROOT, 'dist/packages')
const CLI = path.join(ROOT, 'packages/cli')
/** Folders of the packages that are in the bundle. @param {readonly string[]} inputs */
function packagesIn(inputs) {
  return inputs.flatMap((input) => {
    const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input) ?? []
    return folder === undefined ? [] : [folder]
  })
}

function manifest() {
  const { version, description, license, engines } = JSON.parse(
    fs.readFileSync(path.join(CLI, 'package.json'), 'utf8'),
  )
  const told = { name: 'signalbox', version, description, license, type: 'module', engines }
  return JSON.stringify({ ...told, bin: { signalbox: './dist/main.js' } }, null, 2)
}

/** @param {string} folder */
async function stage(folder) {
  const main = path.join(folder, 'dist/main.js')
  const inputs = await bundleCommand(path.join(CLI, 'dist/main.js'), main)
  fs.chmodSync(main, 0o755)
  // Paths at which the bundle expects the files of its modules.
  fs.copyFileSync(
    path.join(ROOT, 'packages/adapters/dist/opencode/plugin.js'),
    path.join(folder, 'dist/plugin.js'),
  )
  fs.copyFileSync(
    path.join(CLI, 'dist/portable-page.html'),
    path.join(folder, 'portable-page.html'),
  )
  for (const name of ['README.md', 'LICENSE', 'NOTICE'])
    fs.copyFileSync(path.join(CLI, name), path.join(folder, name))
  fs.writeFileSync(path.join(folder, 'THIRD-PARTY-LICENSES.txt'), listLicenses(packagesIn(inputs)))
  fs.writeFileSync(path.join(folder, 'package.json'), manifest())
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-command-'))
try {
  await stage(folder)
  fs.rmSync(OUTPUT, { recursive: true, force: true })
  fs.mkdirSync(OUTPUT, { recursive: true })
  const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', OUTPUT], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stderr}`)
  const file = path.join(OUTPUT, packed.stdout.trim())
  process.stdout.write(
    `${path.relative(ROOT, file)}: ${(fs.statSync(file).size / 1000).toFixed(0)} kB\n`,
  )
} finally {
  fs.rmSync(folder, { recursive: true, force: true })
}

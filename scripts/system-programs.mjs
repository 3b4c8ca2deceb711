// @ts-check
// Programs of the system that tests start: installed ones, else Debian packages if they can be installed.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'

/** Possible paths of the program, by package. */
const PROGRAMS = {
  'nats-server': ['nats-server', '/usr/sbin/nats-server', '/usr/local/bin/nats-server'],
  // Hooks call the daemon with it; without it, with Node.js.
  curl: ['curl'],
  // The fence lists sources with it, and the steps of the GitHub Action compare with it.
  git: ['git'],
}

/**
 * Never fails. Without the NATS server, its tests are skipped with that reason, or fail where CI is set; without the other programs, tests
 * fail.
 */
export async function ensurePrograms() {
  const missing = Object.entries(PROGRAMS).flatMap(([name, places]) =>
    places.some(isThere) ? [] : [name],
  )
  if (missing.length > 0) await installPackages(missing)
}

/** Installs Debian packages if this process may. @param {readonly string[]} names */
export async function installPackages(names) {
  if (process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/apt-get')) return
  process.stdout.write(`Installing ${names.join(', ')} …\n`)
  const install = ['install', '-y', '--no-install-recommends', ...names]
  if ((await runAptGet(install)) === 0) return
  await runAptGet(['update'])
  await runAptGet(install)
}

/** @param {readonly string[]} args */
async function runAptGet(args) {
  const [status] = await once(spawn('apt-get', args, { stdio: 'ignore' }), 'close')
  return status
}

/** @param {string} program */
const isThere = (program) => spawnSync(program, ['--version']).status === 0

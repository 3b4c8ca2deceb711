// @ts-check
// Programs of the system that tests start: those that are there, else Debian's packages where they can be installed.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'

/** By package, where the program may lie. */
const PROGRAMS = {
  'nats-server': ['nats-server', '/usr/sbin/nats-server', '/usr/local/bin/nats-server'],
  // Hooks ask the daemon by it where it is there; without it by Node.js.
  curl: ['curl'],
  // The fence lists sources by it, and the GitHub Action's steps compare by it.
  git: ['git'],
}

/** Never fails: without the NATS server its tests are skipped with that reason, or fail where CI is set; without the others tests fail. */
export function ensurePrograms() {
  const missing = Object.entries(PROGRAMS).flatMap(([name, places]) =>
    places.some(isThere) ? [] : [name],
  )
  const canInstall = process.getuid?.() === 0 && fs.existsSync('/usr/bin/apt-get')
  if (missing.length === 0 || !canInstall) return
  process.stdout.write(`Installing ${missing.join(', ')} …\n`)
  const install = ['install', '-y', '--no-install-recommends', ...missing]
  if (spawnSync('apt-get', install, { stdio: 'ignore' }).status === 0) return
  spawnSync('apt-get', ['update'], { stdio: 'ignore' })
  spawnSync('apt-get', install, { stdio: 'ignore' })
}

/** @param {string} program */
const isThere = (program) => spawnSync(program, ['--version']).status === 0

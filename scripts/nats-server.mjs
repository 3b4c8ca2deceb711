// @ts-check
// The NATS server of the mailbox tests: the system's, else Debian's package where it can be installed.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'

const PROGRAMS = ['nats-server', '/usr/sbin/nats-server', '/usr/local/bin/nats-server']

/** Never fails: without the server its tests are skipped with that reason, or fail where CI is set. */
export function ensureNatsServer() {
  if (isInstalled() || process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/apt-get')) return
  process.stdout.write('Installing a NATS server …\n')
  const install = ['install', '-y', '--no-install-recommends', 'nats-server']
  if (spawnSync('apt-get', install, { stdio: 'ignore' }).status === 0) return
  spawnSync('apt-get', ['update'], { stdio: 'ignore' })
  spawnSync('apt-get', install, { stdio: 'ignore' })
}

function isInstalled() {
  return PROGRAMS.some((program) => spawnSync(program, ['--version']).status === 0)
}

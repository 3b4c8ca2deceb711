// @ts-check
// The data folder: who holds it, and the secrets that are made at the first start. Readable by its owner alone.
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ROOT } from './build-steps.mjs'
import { Failure, isDiskFull, messageOf } from './failure.mjs'
import { isAlive } from './process-alive.mjs'

export function dataFolder() {
  return path.resolve(ROOT, process.env.SIGNALBOX_DATA_DIR ?? '.signalbox')
}

/** @typedef {{ authSecret: string, signingKey: string, setupToken: string, demoKey: string }} Secrets */

/** @param {string} folder */
export function openFolder(folder) {
  try {
    fs.mkdirSync(folder, { recursive: true })
    const probe = path.join(folder, '.write-test')
    fs.writeFileSync(probe, 'x'.repeat(64 * 1024))
    fs.rmSync(probe)
  } catch (error) {
    if (isDiskFull(error))
      throw new Failure(
        'diskFull',
        `The disk is full: ${folder} cannot be written. Free some space and start again.`,
      )
    throw new Failure(
      'dataFolderBroken',
      `The data folder ${folder} cannot be written: ${messageOf(error)}. Mend its permissions, or set SIGNALBOX_DATA_DIR.`,
    )
  }
}

/** Secrets of this installation; made once. @param {string} folder @returns {Secrets} */
export function secretsIn(folder) {
  const file = path.join(folder, 'secrets.json')
  if (fs.existsSync(file)) return readSecrets(file)
  const secret = (/** @type {number} */ bytes) => crypto.randomBytes(bytes).toString('base64url')
  const secrets = {
    authSecret: secret(32),
    signingKey: secret(32),
    setupToken: secret(24),
    demoKey: `sbx_${crypto.randomBytes(4).toString('hex')}_${secret(32)}`,
  }
  fs.writeFileSync(`${file}.new`, JSON.stringify(secrets, null, 2), { mode: 0o600 })
  fs.renameSync(`${file}.new`, file)
  return secrets
}

/** @param {string} file @returns {Secrets} */
function readSecrets(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    throw new Failure(
      'dataFolderBroken',
      `The file ${file} is damaged. Restore it from a backup; without it logins and runtimes cannot be recognised.`,
    )
  }
}

/**
 * Takes the folder for this process. A holder that died leaves its web server behind at worst, which is ended here.
 * @param {string} folder
 * @returns {Promise<{ note: (webPid: number) => void, release: () => void, endedLeftOver: boolean }>}
 */
export async function holdFolder(folder) {
  const file = path.join(folder, 'start.lock')
  const holder = readHolder(file)
  if (holder !== null && isSignalbox(holder.pid, 'start.mjs')) {
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
    note: (webPid) => write({ webPid }),
    release: () => fs.rmSync(file, { force: true }),
    endedLeftOver,
  }
}

/** Whether there was one. @param {number} webPid */
async function endLeftOver(webPid) {
  if (!isSignalbox(webPid, 'serve.mjs') && !isSignalbox(webPid, 'next')) return false
  process.kill(webPid, 'SIGKILL')
  for (const until = Date.now() + 5000; Date.now() < until && isAlive(webPid); ) await wait(20)
  return true
}

/** @param {string} file @returns {{ pid: number, webPid?: number } | null} */
function readHolder(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** Pids are used again: where the command line can be seen, it must be ours. @param {number} pid @param {string} word */
function isSignalbox(pid, word) {
  if (!isAlive(pid)) return false
  const commandLine = `/proc/${pid}/cmdline`
  return (
    !fs.existsSync('/proc') ||
    (fs.existsSync(commandLine) && fs.readFileSync(commandLine, 'utf8').includes(word))
  )
}

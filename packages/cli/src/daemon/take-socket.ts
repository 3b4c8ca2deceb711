// Ownership of a socket: it belongs to the process that listens on it. The lock is held only while a daemon takes the socket.
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { readErrorCode } from '@signalbox/runtime/base'
import { Unusable } from '../base/io.ts'

/** Runs `start` while no other daemon starts. Throws Unusable when another one is starting. */
export async function whileLocked<Result>(
  lock: string,
  start: () => Promise<Result>,
): Promise<Result> {
  const mine = `${lock}.${randomBytes(4).toString('hex')}`
  fs.writeFileSync(mine, String(process.pid), { mode: 0o600 })
  try {
    // Linking a complete file means that no process reads a lock without its process id.
    if (!isLinked(mine, lock)) {
      const holder = readLockHolder(lock)
      if (isAlive(holder)) throw toStartingError(lock, holder)
      fs.rmSync(lock, { force: true })
      if (!isLinked(mine, lock)) throw toStartingError(lock, readLockHolder(lock))
    }
  } finally {
    fs.rmSync(mine, { force: true })
  }
  try {
    return await start()
  } finally {
    fs.rmSync(lock, { force: true })
  }
}

function isLinked(file: string, as: string): boolean {
  try {
    fs.linkSync(file, as)
    return true
  } catch (error) {
    if (readErrorCode(error) === 'EEXIST') return false
    throw new Unusable(`The daemon cannot create ${as}: ${readErrorCode(error)}.`)
  }
}

/** 0: the lock is gone. */
function readLockHolder(lock: string): number {
  try {
    return Number(fs.readFileSync(lock, 'utf8'))
  } catch {
    return 0
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return readErrorCode(error) !== 'ESRCH'
  }
}

function toStartingError(lock: string, pid: number): Unusable {
  return new Unusable(
    `Another daemon is starting here (process ${pid}). If that process is not a daemon, remove ${lock}.`,
  )
}

export function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = net.connect(socket)
    asked.once('error', (error) =>
      resolve(!['ENOENT', 'ECONNREFUSED'].includes(readErrorCode(error))),
    )
    asked.once('connect', () => {
      asked.destroy()
      resolve(true)
    })
  })
}

/**
 * Listens on the socket in place of an old one; returns the function that removes the socket after the server is closed. Node.js removes
 * the name on which it listened, even when it belongs to another daemon by then, so the server listens on a temporary name.
 */
export async function listenInPlace(
  socket: string,
  listen: (name: string) => Promise<void>,
): Promise<() => void> {
  const name = path.join(path.dirname(socket), `.${randomBytes(2).toString('hex')}`)
  await listen(name)
  fs.chmodSync(name, 0o600)
  const { ino } = fs.statSync(name)
  fs.renameSync(name, socket)
  return () => {
    if (fs.statSync(socket, { throwIfNoEntry: false })?.ino === ino) fs.rmSync(socket)
  }
}

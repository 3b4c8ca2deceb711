import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { readErrorCode } from '@signalbox/runtime/base'
import { Unusable } from '../base/io.ts'

const OTHERS = 0o077

/** Creates the folder with mode 0700. Throws Unusable when it exists and others can enter it. */
export function privateFolder(folder: string): void {
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new Unusable(`The folder ${folder} cannot be created: ${readErrorCode(error)}.`)
  }
  const { mode, uid } = fs.statSync(folder)
  const isMine = process.getuid === undefined || uid === process.getuid()
  if (!isMine || (mode & OTHERS) !== 0)
    throw new Unusable(
      `The folder ${folder} is open to other users. Restrict it to yourself (chmod 700), or choose another socket with --socket.`,
    )
}

/** Reads the token from the file, or creates it. Throws Unusable when others can read the file. */
export function tokenIn(file: string): string {
  const known = readToken(file)
  if (known !== null) return known
  const token = randomBytes(32).toString('base64url')
  try {
    fs.writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new Unusable(`The token cannot be written to ${file}: ${readErrorCode(error)}.`)
  }
  return token
}

/** null: there is no file. Throws Unusable when others can read it. */
export function readToken(file: string): string | null {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return null
  if ((stat.mode & OTHERS) !== 0)
    throw new Unusable(
      `The token in ${file} can be read by other users. Remove the file; the daemon creates a new one.`,
    )
  const token = fs.readFileSync(file, 'utf8').trim()
  if (token.length < 32)
    throw new Unusable(
      `The token in ${file} is too short. Remove the file; the daemon creates a new one.`,
    )
  return token
}

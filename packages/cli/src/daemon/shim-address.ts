// The file exists while a daemon listens. Another program may get the port after the daemon: data that the shim sends it is useless by
// then, and it cannot answer as the daemon.
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'

export interface ShimSecrets {
  readonly token: string
  /** The daemon's answers begin with it. */
  readonly proof: string
}

/** 128 bits each: bash reads an answer byte by byte. */
export function createShimSecrets(): ShimSecrets {
  const secret = () => randomBytes(16).toString('base64url')
  return { token: secret(), proof: secret() }
}

/** Version of the file and of the protocol. A shim of another version uses curl. */
export const ADDRESS_FORM = 'v2'

export function writeShimAddress(file: string, port: number, secrets: ShimSecrets): () => void {
  const line = `${ADDRESS_FORM} ${port} ${process.pid} ${secrets.token} ${secrets.proof}\n`
  const fresh = `${file}.${process.pid}.new`
  fs.writeFileSync(fresh, line, { mode: 0o600 })
  fs.renameSync(fresh, file)
  return () => {
    if (isThere(file, line)) fs.rmSync(file, { force: true })
  }
}

function isThere(file: string, line: string): boolean {
  try {
    return fs.readFileSync(file, 'utf8') === line
  } catch {
    return false
  }
}

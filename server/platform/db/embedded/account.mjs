// @ts-check
// PostgreSQL refuses to run as root. initdb needs an account with a passwd entry: the folder's owner, `postgres` or `nobody`.
import fs from 'node:fs'

/**
 * @typedef {{ uid: number, gid: number }} Account
 */

/**
 * Null: the account of this process.
 * @param {string} dataDir
 * @returns {Account | null}
 */
export function accountFor(dataDir) {
  if (process.getuid?.() !== 0) return null
  const accounts = readAccounts()
  const owner = fs.existsSync(dataDir) ? fs.statSync(dataDir).uid : 0
  const chosen =
    accounts.find((account) => owner !== 0 && account.uid === owner) ??
    accounts.find((account) => account.name === 'postgres') ??
    accounts.find((account) => account.name === 'nobody')
  return chosen === undefined ? null : { uid: chosen.uid, gid: chosen.gid }
}

function readAccounts() {
  return fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length > 3)
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
}

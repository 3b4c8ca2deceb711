// @ts-check
// Where the secrets of this installation come from: the environment, else the database when SIGNALBOX_SECRET is set, else secrets.json in
// the data folder.
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { openSealed, readSealed } from '../server/db/sealed-secrets.mjs'
import { Failure } from './failure.mjs'

/** @typedef {Readonly<Record<string, string>>} Secrets by the name of their variable */

/** Variable by its name in secrets.json. */
const VARIABLE = /** @type {const} */ ({
  authSecret: 'SIGNALBOX_AUTH_SECRET',
  signingKey: 'SIGNALBOX_SIGNING_KEY',
  setupToken: 'SIGNALBOX_SETUP_TOKEN',
  demoKey: 'SIGNALBOX_DEMO_KEY',
})
/** An installation can do without the demo agent. */
const NEEDED = [VARIABLE.authSecret, VARIABLE.signingKey, VARIABLE.setupToken]

/**
 * @param {import('../server/db/sealed-secrets.mjs').Client} client of the migrated database
 * @param {{ variables: Secrets, folder: string }} options
 * @returns {Promise<Secrets>}
 */
export async function openSecrets(client, { variables, folder }) {
  const given = pick(variables)
  const secret = variables['SIGNALBOX_SECRET']
  if (secret === undefined) return await unsealedSecrets(client, { given, folder })
  const held = await openSealed(client, { secret, first: () => firstSecrets(given, folder) })
  refuseDifferent(given, held, 'the secrets that are sealed in the database')
  return held
}

/**
 * @param {import('../server/db/sealed-secrets.mjs').Client} client
 * @param {{ given: Secrets, folder: string }} options
 */
async function unsealedSecrets(client, { given, folder }) {
  if ((await readSealed(client)) !== null) {
    throw new Failure(
      'badConfiguration',
      'The secrets of this installation are sealed in its database. Set SIGNALBOX_SECRET to the secret that opens them.',
    )
  }
  if (NEEDED.every((name) => given[name] !== undefined)) return given
  return { ...(readFile(folder) ?? writeFile(folder)), ...given }
}

/** @param {Secrets} given @param {string} folder */
function firstSecrets(given, folder) {
  const filed = readFile(folder) ?? {}
  refuseDifferent(given, filed, path.join(folder, 'secrets.json'))
  return { ...byVariable(freshSecrets()), ...filed, ...given }
}

/** @param {Secrets} given @param {Secrets} other @param {string} place */
function refuseDifferent(given, other, place) {
  const name = Object.values(VARIABLE).find(
    (one) => given[one] !== undefined && other[one] !== undefined && given[one] !== other[one],
  )
  if (name === undefined) return
  throw new Failure(
    'badConfiguration',
    `${name} of the environment and ${place} differ. Remove the one that is not this installation's.`,
  )
}

/** @param {Secrets} variables */
function pick(variables) {
  return Object.fromEntries(
    Object.values(VARIABLE).flatMap((name) => {
      const value = variables[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** @param {Readonly<Record<string, string>>} filed */
function byVariable(filed) {
  return Object.fromEntries(
    Object.entries(VARIABLE).flatMap(([key, name]) => {
      const value = filed[key]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function freshSecrets() {
  const secret = (/** @type {number} */ bytes) => crypto.randomBytes(bytes).toString('base64url')
  return {
    authSecret: secret(32),
    signingKey: secret(32),
    setupToken: secret(24),
    demoKey: `sbx_${crypto.randomBytes(4).toString('hex')}_${secret(32)}`,
  }
}

/** @param {string} folder */
const fileIn = (folder) => path.join(folder, 'secrets.json')

/** Null: there is none. @param {string} folder @returns {Secrets | null} */
function readFile(folder) {
  const file = fileIn(folder)
  if (!fs.existsSync(file)) return null
  try {
    return byVariable(JSON.parse(fs.readFileSync(file, 'utf8')))
  } catch {
    throw new Failure(
      'dataFolderBroken',
      `The file ${file} is damaged. Restore it from a backup; without it logins and runtimes cannot be recognised.`,
    )
  }
}

/** @param {string} folder @returns {Secrets} */
function writeFile(folder) {
  const secrets = freshSecrets()
  writeSecretsText(folder, JSON.stringify(secrets, null, 2))
  return byVariable(secrets)
}

/** Text of secrets.json; null: there is none. @param {string} folder */
export function readSecretsText(folder) {
  const file = fileIn(folder)
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null
}

/** @param {string} folder @param {string} text */
export function writeSecretsText(folder, text) {
  const file = fileIn(folder)
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(`${file}.new`, text, { mode: 0o600 })
  fs.renameSync(`${file}.new`, file)
}

// @ts-check
// From the environment, else from the database when SIGNALBOX_SECRET is set, else from secrets.json in the data folder.
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { Failure } from '../server/platform/base/failure.mjs'
import { openSealed, readSealed } from '../server/platform/db/sealed-secrets.mjs'
import { openSeed } from '../server/platform/db/sealed-seed.mjs'

/** @typedef {Readonly<Record<string, string>>} Secrets by variable name */

/** Variable names, by key in secrets.json. */
const VARIABLE = /** @type {const} */ ({
  authSecret: 'SIGNALBOX_AUTH_SECRET',
  signingKey: 'SIGNALBOX_SIGNING_KEY',
  setupToken: 'SIGNALBOX_SETUP_TOKEN',
  demoKey: 'SIGNALBOX_DEMO_KEY',
})
/** The key of the demo agent is optional. */
const NEEDED = [VARIABLE.authSecret, VARIABLE.signingKey, VARIABLE.setupToken]

/**
 * @param {import('../server/platform/db/sealed-secrets.mjs').Client} client of the migrated database
 * @param {{ variables: Secrets, folder: string }} options
 * @returns {Promise<Secrets>}
 */
export async function openSecrets(client, { variables, folder }) {
  const given = pick(variables)
  const secret = variables['SIGNALBOX_SECRET']
  if (secret === undefined) return await unsealedSecrets(client, { given, folder })
  const held = await openSealed(client, {
    secret,
    first: () => firstSecrets(client, { given, folder }),
  })
  const sealed = { place: 'the secrets that are sealed in the database', secrets: held }
  refuseDifferent({ place: 'the environment', secrets: given }, sealed)
  refuseDifferent({ place: fileIn(folder), secrets: readFile(folder) ?? {} }, sealed)
  return held
}

/**
 * @param {import('../server/platform/db/sealed-secrets.mjs').Client} client
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
  const filed = readFile(folder)
  if (filed === null) await refuseLost(client, folder)
  return { ...(filed ?? writeFile(folder)), ...given }
}

/**
 * @param {import('../server/platform/db/sealed-secrets.mjs').Client} client
 * @param {{ given: Secrets, folder: string }} options
 */
async function firstSecrets(client, { given, folder }) {
  const filed = readFile(folder) ?? {}
  refuseDifferent(
    { place: 'the environment', secrets: given },
    { place: fileIn(folder), secrets: filed },
  )
  const own = { ...filed, ...given }
  if (NEEDED.some((name) => own[name] === undefined)) await refuseLost(client, folder)
  else await refuseForeign(client, own)
  return { ...byVariable(freshSecrets()), ...own }
}

/**
 * Refuses new secrets for an existing installation: they could decrypt none of its signing keys and logins.
 * @param {import('../server/platform/db/sealed-secrets.mjs').Client} client
 * @param {string} folder
 */
async function refuseLost(client, folder) {
  // Another replica may have just created the installation and sealed its secrets.
  const { rowCount } = await client.query(
    'SELECT 1 FROM projects WHERE NOT EXISTS (SELECT 1 FROM sealed_secrets) LIMIT 1',
  )
  if (rowCount === 0) return
  throw new Failure(
    'badConfiguration',
    `This database belongs to an installation whose secrets are missing. Restore ${fileIn(folder)}, or set ${NEEDED.slice(0, -1).join(', ')} and ${NEEDED.at(-1)}; docs/operations/troubleshoot.md explains what to do if they are lost.`,
  )
}

/**
 * Refuses secrets of another installation, because sealed values apply to every replica.
 * @param {import('../server/platform/db/sealed-secrets.mjs').Client} client
 * @param {Secrets} secrets
 */
async function refuseForeign(client, secrets) {
  const { rows } = await client.query(
    'SELECT project_id, id, public_key, sealed_seed FROM signing_keys WHERE standing IS NOT NULL',
  )
  for (const { project_id: projectId, id, public_key: publicKey, sealed_seed: sealed } of rows) {
    const name = sealed === null ? VARIABLE.signingKey : VARIABLE.authSecret
    const secret = secrets[name] ?? ''
    const isOurs =
      sealed === null
        ? derivePublicKey(secret) === publicKey
        : openSeed(secret, sealed, { projectId, id }) !== null
    if (isOurs) continue
    throw new Failure(
      'badConfiguration',
      `${name} does not belong to this database, so it is not sealed. Start with the secrets.json or the variables of the server that used it.`,
    )
  }
}

/** @param {string} seed of Ed25519, base64url */
function derivePublicKey(seed) {
  // Node.js accepts a private key only as PKCS 8, which has this head.
  const head = Buffer.from('302e020100300506032b657004220420', 'hex')
  const key = Buffer.concat([head, Buffer.from(seed, 'base64url')])
  const pair = crypto.createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  return crypto.createPublicKey(pair).export({ format: 'jwk' }).x
}

/** @typedef {{ place: string, secrets: Secrets }} Source */

/** @param {Source} one @param {Source} other */
function refuseDifferent(one, other) {
  const name = Object.values(VARIABLE).find(
    (name) =>
      one.secrets[name] !== undefined &&
      other.secrets[name] !== undefined &&
      one.secrets[name] !== other.secrets[name],
  )
  if (name === undefined) return
  throw new Failure(
    'badConfiguration',
    `${name} of ${one.place} and ${other.place} differ. Remove the one that is not this installation's.`,
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

/** null: the file does not exist. @param {string} folder @returns {Secrets | null} */
function readFile(folder) {
  const file = fileIn(folder)
  if (!fs.existsSync(file)) return null
  try {
    return byVariable(JSON.parse(fs.readFileSync(file, 'utf8')))
  } catch {
    throw new Failure(
      'dataFolderBroken',
      `The file ${file} is damaged. Restore it from a backup; without it logins and runtimes cannot be recognized.`,
    )
  }
}

/** @param {string} folder @returns {Secrets} */
function writeFile(folder) {
  const secrets = freshSecrets()
  writeSecretsText(folder, JSON.stringify(secrets, null, 2))
  return byVariable(secrets)
}

/** Text of secrets.json; null: the file does not exist. @param {string} folder */
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

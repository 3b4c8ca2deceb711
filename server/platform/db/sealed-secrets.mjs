// @ts-check
// AES-256-GCM under a key that scrypt derives from SIGNALBOX_SECRET. One row, so replicas that first start together share secrets.
import crypto from 'node:crypto'
import { promisify } from 'node:util'
import { Failure } from '../base/failure.mjs'

const scrypt =
  /** @type {(secret: string, salt: Buffer, bytes: number, options: crypto.ScryptOptions) => Promise<Buffer>} */ (
    promisify(crypto.scrypt)
  )
/** 32 MiB and about 0.1 s per guess. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const FORM = 'v1'
const SALT_BYTES = 16
const IV_BYTES = 12

/** @typedef {Readonly<Record<string, string>>} Secrets by the name of their variable */
/** @typedef {Pick<import('pg').Client, 'query'>} Client */

/** @param {Secrets} secrets @param {string} secret */
async function seal(secrets, secret) {
  const [salt, iv] = [crypto.randomBytes(SALT_BYTES), crypto.randomBytes(IV_BYTES)]
  const cipher = crypto.createCipheriv('aes-256-gcm', await scrypt(secret, salt, 32, COST), iv)
  cipher.setAAD(Buffer.from(FORM))
  const text = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final()])
  return [
    FORM,
    ...[salt, iv, cipher.getAuthTag(), text].map((part) => part.toString('base64url')),
  ].join('.')
}

/** @param {string} sealed @param {string} secret @returns {Promise<Secrets>} */
async function unseal(sealed, secret) {
  const [form, ...parts] = sealed.split('.')
  const [salt, iv, tag, text] = parts.map((part) => Buffer.from(part, 'base64url'))
  if (
    form !== FORM ||
    salt === undefined ||
    iv === undefined ||
    tag === undefined ||
    text === undefined
  ) {
    throw new Failure(
      'badConfiguration',
      'The sealed secrets in the database have a form that this build does not know. Start a newer build.',
    )
  }
  const decipher = crypto.createDecipheriv('aes-256-gcm', await scrypt(secret, salt, 32, COST), iv)
  decipher.setAAD(Buffer.from(FORM)).setAuthTag(tag)
  try {
    return JSON.parse(Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8'))
  } catch {
    throw new Failure(
      'badConfiguration',
      'SIGNALBOX_SECRET is not the secret that the secrets in this database were sealed with. Set it to that one.',
    )
  }
}

/** Null: nothing is sealed yet. @param {Client} client @returns {Promise<string | null>} */
export async function readSealed(client) {
  const { rows } = await client.query('SELECT sealed FROM sealed_secrets')
  return rows[0]?.sealed ?? null
}

/**
 * Opens the sealed secrets; the first call seals those of `first`. Throws when `secret` does not open them.
 * @param {Client} client
 * @param {{ secret: string, first: () => Promise<Secrets> }} options
 */
export async function openSealed(client, { secret, first }) {
  if ((await readSealed(client)) === null) {
    await client.query('INSERT INTO sealed_secrets (sealed) VALUES ($1) ON CONFLICT DO NOTHING', [
      await seal(await first(), secret),
    ])
  }
  // Another start may have sealed its secrets at the same time; use those.
  return await unseal((await readSealed(client)) ?? '', secret)
}

/**
 * Seals the same secrets with another secret. Running servers have them in memory and continue.
 * @param {Client} client
 * @param {{ from: string, to: string }} secrets
 */
export async function resealSecrets(client, { from, to }) {
  const sealed = await readSealed(client)
  if (sealed === null) {
    throw new Failure(
      'badConfiguration',
      'No secrets are sealed in this database yet. Start Signalbox with SIGNALBOX_SECRET first.',
    )
  }
  const again = await seal(await unseal(sealed, from), to)
  const { rowCount } = await client.query(
    'UPDATE sealed_secrets SET sealed = $1, sealed_at = now() WHERE sealed = $2',
    [again, sealed],
  )
  if (rowCount === 1) return
  throw new Failure('badConfiguration', 'Another rotation sealed the secrets meanwhile. Try again.')
}

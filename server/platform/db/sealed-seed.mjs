// @ts-check
// Neither the database nor SIGNALBOX_AUTH_SECRET alone reveals a seed. scripts/secrets.mjs uses it, so it is plain JavaScript.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Project and id of the key; a sealed text that was moved to another row does not open.
 * @typedef {object} KeyPlace
 * @property {string} projectId
 * @property {string} id
 */

/** @param {string} authSecret */
function sealingKey(authSecret) {
  return Buffer.from(hkdfSync('sha256', authSecret, '', 'signalbox signing keys', 32))
}

/** @param {KeyPlace} place */
function placeText({ projectId, id }) {
  return Buffer.from(`${projectId}\n${id}`)
}

/** @param {string} authSecret @param {string} seed @param {KeyPlace} place */
export function sealSeed(authSecret, seed, place) {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(authSecret), iv).setAAD(placeText(place))
  const text = Buffer.concat([cipher.update(seed, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
}

/** Null: it was sealed with another secret. @param {string} authSecret @param {string} sealed @param {KeyPlace} place */
export function openSeed(authSecret, sealed, place) {
  const bytes = Buffer.from(sealed, 'base64url')
  try {
    const decipher = createDecipheriv(
      'aes-256-gcm',
      sealingKey(authSecret),
      bytes.subarray(0, IV_BYTES),
    )
    decipher.setAAD(placeText(place))
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    const rest = bytes.subarray(IV_BYTES + TAG_BYTES)
    return Buffer.concat([decipher.update(rest), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

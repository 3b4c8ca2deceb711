// @ts-check
// One line of plain JSON (the head), then sealed chunks: AES-256-GCM under a key that scrypt derives from the passphrase and a random salt.
// A nonce counts chunks and marks the last one, so a changed, moved or missing chunk is detected. Without a passphrase, damage is detected,
// but only the folder's permissions keep readers out.
import crypto from 'node:crypto'
import fs from 'node:fs'
import { describeError, Failure } from '../server/platform/base/failure.mjs'

const FORMAT = 1
/** 64 MiB and about 0.2 s per guess. */
const COST = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 }
const CHUNK_BYTES = 256 * 1024
const TAG_BYTES = 16
const LENGTH_BYTES = 4
const LONGEST_HEAD = 256 * 1024
const NEWLINE = 10

/**
 * @typedef {object} About
 * @property {string} createdAt ISO 8601: time of the snapshot
 * @property {readonly string[]} migrations of the database, in order: the schema version
 */

/** @typedef {About & { signalboxBackup: number, isEncrypted: boolean, salt: string, check: string }} Head */
/** @typedef {AsyncIterable<Buffer>} Bytes */

/** Key, and a value that distinguishes a wrong passphrase from a damaged file. @param {string} passphrase @param {string} salt base64url */
function derive(passphrase, salt) {
  const bytes = crypto.scryptSync(passphrase, Buffer.from(salt, 'base64url'), 48, COST)
  return { key: bytes.subarray(0, 32), check: bytes.subarray(32).toString('base64url') }
}

/** @param {number} index @param {boolean} isLast */
function createNonce(index, isLast) {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(index, 7)
  nonce.writeUInt8(isLast ? 1 : 0, 11)
  return nonce
}

/**
 * @param {About} about
 * @param {string | undefined} passphrase
 * @returns {(content: Bytes) => Bytes}
 */
export function sealing(about, passphrase) {
  const salt = crypto.randomBytes(16).toString('base64url')
  const { key, check } = derive(passphrase ?? '', salt)
  const isEncrypted = passphrase !== undefined
  /** @type {Head} */
  const head = { signalboxBackup: FORMAT, ...about, isEncrypted, salt, check }
  const line = Buffer.from(`${JSON.stringify(head)}\n`)
  return async function* seal(content) {
    yield line
    let index = 0
    /** @param {Buffer} plain @param {boolean} isLast */
    const chunk = (plain, isLast) => {
      const cipher = crypto.createCipheriv('aes-256-gcm', key, createNonce(index++, isLast))
      const text = [cipher.setAAD(line).update(plain), cipher.final(), cipher.getAuthTag()]
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeUInt32BE(plain.length + TAG_BYTES)
      return Buffer.concat([length, ...text])
    }
    /** @type {Buffer[]} */
    let held = []
    let size = 0
    for await (const bytes of content) {
      held.push(bytes)
      size += bytes.length
      if (size < CHUNK_BYTES) continue
      const all = Buffer.concat(held)
      let at = 0
      for (; all.length - at >= CHUNK_BYTES; at += CHUNK_BYTES) {
        yield chunk(all.subarray(at, at + CHUNK_BYTES), false)
      }
      held = [all.subarray(at)]
      size = all.length - at
    }
    yield chunk(Buffer.concat(held), true)
  }
}

/** @param {string} file @param {string} why */
const unusable = (file, why) =>
  new Failure('badBackup', `The backup ${file} cannot be used: ${why}.`)

/**
 * The head, after its passphrase is verified, and the content. The content is verified only once it is read to its end.
 * @param {string} file
 * @param {string | undefined} passphrase
 * @returns {{ head: Head, content: () => Bytes }}
 */
export function openBackup(file, passphrase) {
  const line = readHead(file)
  const head = parseHead(file, line)
  if (head.isEncrypted && passphrase === undefined) {
    throw new Failure(
      'badConfiguration',
      `The backup ${file} is encrypted. Set SIGNALBOX_BACKUP_PASSPHRASE to the passphrase that it was made with.`,
    )
  }
  const { key, check } = derive(head.isEncrypted ? (passphrase ?? '') : '', head.salt)
  if (check !== head.check) {
    if (!head.isEncrypted) throw unusable(file, 'its beginning is damaged')
    throw new Failure(
      'badConfiguration',
      `SIGNALBOX_BACKUP_PASSPHRASE is not the passphrase of the backup ${file}. Set it to the one that the backup was made with.`,
    )
  }
  return { head, content: () => unseal(file, { line, key }) }
}

/** Reads the first line, with its line break. @param {string} file */
function readHead(file) {
  const begin = Buffer.alloc(LONGEST_HEAD)
  try {
    const descriptor = fs.openSync(file, 'r')
    try {
      const length = fs.readSync(descriptor, begin)
      return begin.subarray(0, begin.subarray(0, length).indexOf(NEWLINE) + 1)
    } finally {
      fs.closeSync(descriptor)
    }
  } catch (error) {
    throw unusable(file, describeError(error))
  }
}

/** @param {string} file @param {Buffer} line @returns {Head} */
function parseHead(file, line) {
  /** @type {Partial<Head> | null} */
  let head = null
  try {
    head = JSON.parse(line.toString('utf8'))
  } catch {
    throw unusable(file, 'it is not a backup of Signalbox, or its beginning is damaged')
  }
  const { signalboxBackup, createdAt, migrations, isEncrypted, salt, check } = head ?? {}
  if (signalboxBackup !== undefined && signalboxBackup !== FORMAT) {
    throw new Failure(
      'databaseTooNew',
      `The backup ${file} has a format that this build does not support. Restore it with the build that made it, or a newer one.`,
    )
  }
  if (
    typeof createdAt !== 'string' ||
    !Array.isArray(migrations) ||
    typeof isEncrypted !== 'boolean' ||
    typeof salt !== 'string' ||
    typeof check !== 'string'
  ) {
    throw unusable(file, 'it is not a backup of Signalbox, or its beginning is damaged')
  }
  return { signalboxBackup: FORMAT, createdAt, migrations, isEncrypted, salt, check }
}

/**
 * @param {string} file
 * @param {{ line: Buffer, key: Buffer }} options
 * @returns {Bytes}
 */
async function* unseal(file, { line, key }) {
  const reader = new ByteReader(
    fs.createReadStream(file, { start: line.length, highWaterMark: CHUNK_BYTES }),
  )
  for (let index = 0, isLast = false; !isLast; index++) {
    const sealed = await readChunk(file, reader)
    isLast = await reader.isAtEnd()
    const open = (/** @type {boolean} */ asLast) =>
      openChunk(sealed, { line, key, nonce: createNonce(index, asLast) })
    const plain = open(isLast)
    if (plain === null) throw isLast && open(false) !== null ? endsEarly(file) : damaged(file)
    yield plain
  }
}

/** @param {string} file */
const endsEarly = (file) => unusable(file, 'it ends early, so a part of it is missing')
/** @param {string} file */
const damaged = (file) => unusable(file, 'it is damaged')

/** @param {string} file @param {ByteReader} reader */
async function readChunk(file, reader) {
  const length = await reader.take(LENGTH_BYTES)
  if (length === null) throw endsEarly(file)
  const size = length.readUInt32BE()
  if (size < TAG_BYTES || size > CHUNK_BYTES + TAG_BYTES) throw damaged(file)
  const sealed = await reader.take(size)
  if (sealed === null) throw endsEarly(file)
  return sealed
}

/** null: the chunk was changed. @param {Buffer} sealed @param {{ line: Buffer, key: Buffer, nonce: Buffer }} options */
function openChunk(sealed, { line, key, nonce }) {
  const decipher = crypto.createDecipheriv('aes-256-gcm', key, nonce)
  decipher.setAAD(line).setAuthTag(sealed.subarray(sealed.length - TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch {
    return null
  }
}

export class ByteReader {
  /** @type {AsyncIterator<Buffer>} */
  #source
  /** @type {Buffer} */
  #held = Buffer.alloc(0)

  /** @param {Bytes} source */
  constructor(source) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** null: the stream ends before. @param {number} size @returns {Promise<Buffer | null>} */
  async take(size) {
    const parts = [this.#held]
    for (let length = this.#held.length; length < size; ) {
      const next = await this.#source.next()
      if (next.done === true) return null
      parts.push(next.value)
      length += next.value.length
    }
    const all = parts.length === 1 ? this.#held : Buffer.concat(parts)
    this.#held = all.subarray(size)
    return all.subarray(0, size)
  }

  /** @returns {Promise<boolean>} */
  async isAtEnd() {
    if (this.#held.length > 0) return false
    const next = await this.#source.next()
    if (next.done === true) return true
    this.#held = next.value
    return this.#held.length === 0 ? await this.isAtEnd() : false
  }
}

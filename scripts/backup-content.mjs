// @ts-check
// The manifest, then the rows of each table, as records: four bytes of length, then the bytes. An empty record ends a table.
import { pipeline } from 'node:stream/promises'
import zlib from 'node:zlib'
import { copyRows } from '../server/platform/db/table-copy.mjs'
import { ByteReader } from './backup-file.mjs'

const LENGTH_BYTES = 4

/** @typedef {AsyncIterable<Buffer>} Bytes */

/**
 * @typedef {object} Manifest
 * @property {readonly import('../server/platform/db/table-copy.mjs').Table[]} tables
 * @property {readonly string[]} days of the partitions of events
 * @property {string | null} secrets text of secrets.json; null: the backup contains none
 */

/** @param {Buffer} bytes */
function record(bytes) {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/**
 * @param {import('pg').Client} client whose snapshot has begun
 * @param {Manifest} manifest
 * @param {Map<string, number>} counts rows by table, filled in as they are written
 * @returns {Bytes}
 */
export async function* writeContent(client, manifest, counts) {
  yield record(Buffer.from(JSON.stringify(manifest)))
  for (const table of manifest.tables) {
    const rows = copyRows(client, table)
    for await (const bytes of rows) yield record(bytes)
    yield record(Buffer.alloc(0))
    counts.set(table.name, rows.rowCount)
  }
}

/** Level 3 compresses rows nearly as well as the default level, twice as fast. */
export const compressed = () => zlib.createGzip({ level: 3 })

/**
 * Reads what `writeContent` wrote, in its order.
 * @param {Bytes} content compressed
 */
export async function readContent(content) {
  const plain = zlib.createGunzip()
  const fed = pipeline(content, plain)
  // The reader below rejects with the same error.
  fed.catch(() => undefined)
  const reader = new ByteReader(plain)
  const next = async () => {
    const length = await reader.take(LENGTH_BYTES)
    const bytes = length === null ? null : await reader.take(length.readUInt32BE())
    if (bytes === null) throw new Error('The content of the backup ends early.')
    return bytes
  }
  /** @type {Manifest} */
  const manifest = JSON.parse((await next()).toString('utf8'))
  async function* rows() {
    for (let bytes = await next(); bytes.length > 0; bytes = await next()) yield bytes
  }
  return { manifest, rows, ended: () => fed }
}

/** @param {ReadonlyMap<string, number>} counts rows by table */
export function countsInWords(counts) {
  const words = Object.entries({ session: 'sessions', event: 'session_events' }).map(
    ([noun, table]) => {
      const count = counts.get(`public.${table}`) ?? 0
      return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
    },
  )
  return words.join(', ')
}

/**
 * Sentence about events that no backup contains; empty: there are none.
 * @param {ReadonlyMap<string, number>} counts rows by table
 * @param {string} advice
 */
export function archiveInWords(counts, advice) {
  const count = counts.get('public.archived_sessions') ?? 0
  if (count === 0) return ''
  return ` Events of ${count.toLocaleString('en')} session${count === 1 ? ' are' : 's are'} in files of the archive. ${advice}`
}

import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { BatchLine } from '@signalbox/wire'
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { type EventLog, FIELDS, PARTITIONS, type Published } from './event-log.ts'

const compress = promisify(gzip)

interface SentBatch {
  readonly scope: KeyScope<'ingest'>
  readonly lines: readonly BatchLine[]
  readonly body: readonly Buffer[]
  readonly isGzip: boolean
}

interface Piece {
  readonly data: Buffer
  readonly isGzip: boolean
  readonly events: number
}

/** Resolves once the log holds every line. A batch that is sent again after another outcome is held once. */
export async function holdEvents(log: EventLog, batch: SentBatch): Promise<Published> {
  const { keyId, projectId, environment } = batch.scope
  const partition = choosePartition(keyId, batch.lines)
  for (const { data, isGzip, events } of await toPieces(batch, log.mostBytes)) {
    const published = await log.publish({
      partition,
      data,
      id: createHash('sha256').update(keyId).update(data).digest('base64url'),
      fields: {
        [FIELDS.key]: keyId,
        [FIELDS.project]: projectId,
        [FIELDS.environment]: environment,
        [FIELDS.events]: String(events),
        [FIELDS.encoding]: isGzip ? 'gzip' : 'identity',
      },
    })
    if (published !== 'held') return published
  }
  return 'held'
}

/** Keeps the batches of a session together where they can be seen to be of one. Order is not needed, only faster. */
function choosePartition(keyId: string, [first]: readonly BatchLine[]): number {
  const [, session = keyId] = /"session"\s*:\s*"([^"]{1,100})"/.exec(first?.text ?? '') ?? []
  return (createHash('sha256').update(session).digest()[0] ?? 0) % PARTITIONS
}

async function toPieces(
  { lines, body, isGzip }: SentBatch,
  mostBytes: number,
): Promise<readonly Piece[]> {
  const data = Buffer.concat(body)
  if (data.length <= mostBytes) return [{ data, isGzip, events: lines.length }]
  return await packLines(lines, mostBytes)
}

async function packLines(
  lines: readonly BatchLine[],
  mostBytes: number,
): Promise<readonly Piece[]> {
  const data = await compress(lines.map(({ text }) => `${text}\n`).join(''), { level: 1 })
  if (data.length <= mostBytes || lines.length === 1)
    return [{ data, isGzip: true, events: lines.length }]
  const half = Math.ceil(lines.length / 2)
  return [
    ...(await packLines(lines.slice(0, half), mostBytes)),
    ...(await packLines(lines.slice(half), mostBytes)),
  ]
}

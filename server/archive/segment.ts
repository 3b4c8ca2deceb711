// The form of a segment: one gzip member for each session, one line of JSON for each event, so that `zcat` reads a whole file, and a range of
// it is one session. Digests are SHA-256 in hexadecimal, of compressed bytes.
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { ArchivedEvent } from './archive.sql.ts'

const PAGE = 1_000

export function nameSegment({
  projectId,
  digest,
}: {
  readonly projectId: string
  readonly digest: string
}): string {
  return `${projectId}/${digest}.ndjson.gz`
}

export function digestBytes(bytes: Buffer): string {
  return hash('sha256', bytes, 'hex')
}

/** Data comes last and as it is stored, so that numbers and escapes keep their form. Outside of strings, a line break of JSON is a space. */
function formatLine({ data, ...rest }: ArchivedEvent): string {
  return `${JSON.stringify(rest).slice(0, -1)},"data":${data.replaceAll('\n', ' ')}}\n`
}

/** Within a string, JSON escapes the quotes, so that the first one outside of them is meant. */
const DATA = ',"data":'

function parseLine(line: string): ArchivedEvent {
  const at = line.indexOf(DATA)
  // Written by `formatLine`: the digest of these bytes was checked.
  const rest = JSON.parse(`${line.slice(0, at)}}`) as Omit<ArchivedEvent, 'data'>
  return { ...rest, data: line.slice(at + DATA.length, -1) }
}

async function* toText(
  pages: AsyncIterable<readonly ArchivedEvent[]>,
): AsyncGenerator<string, void> {
  for await (const page of pages) yield page.map(formatLine).join('')
}

export async function pack(pages: AsyncIterable<readonly ArchivedEvent[]>): Promise<Buffer> {
  const gzip = createGzip()
  const [bytes] = await Promise.all([buffer(gzip), pipeline(Readable.from(toText(pages)), gzip)])
  return bytes
}

/** Expects bytes whose digest was checked. */
export async function* unpack(bytes: Buffer): AsyncGenerator<readonly ArchivedEvent[]> {
  const text: AsyncIterable<string> = Readable.from([bytes])
    .pipe(createGunzip())
    .setEncoding('utf8')
  let rest = ''
  let page: ArchivedEvent[] = []
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    page.push(...lines.map(parseLine))
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { type Io, Unusable } from './io.ts'

/** A config is at most 1 MiB; a much larger file is rejected without reading it into memory. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024

export function describeReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'it does not exist'
  if (code === 'EACCES') return 'permission denied'
  if (code === 'EISDIR') return 'it is a folder'
  return error instanceof Error ? error.message : String(error)
}

async function readText(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > MAX_TEXT_BYTES) throw new Error('it is larger than 8 MiB')
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Unusable(`${file} cannot be read: ${describeReason(error)}.`)
  }
}

async function* readLines(file: string): AsyncIterable<string> {
  const input = file === '-' ? process.stdin : createReadStream(file)
  const failed = new Promise<never>((_, reject) => {
    input.once('error', (error: Error) =>
      reject(new Unusable(`${file} cannot be read: ${describeReason(error)}.`)),
    )
  })
  failed.catch(() => undefined)
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[
    Symbol.asyncIterator
  ]()
  for (;;) {
    const next = await Promise.race([lines.next(), failed])
    if (next.done === true) return
    yield next.value
  }
}

/** Buffers lines, so that a million lines are not a million writes. */
export function nodeIo(): Io & { readonly flush: () => Promise<void> } {
  let waiting: string[] = []
  const write = () => {
    const text = waiting.join('')
    waiting = []
    return new Promise<void>((resolve) => process.stdout.write(text, () => resolve()))
  }
  return {
    out: (line) => {
      waiting.push(`${line}\n`)
      if (waiting.length >= 1000) void write()
    },
    err: (line) => process.stderr.write(`${line}\n`),
    readText,
    readLines,
    flush: write,
  }
}

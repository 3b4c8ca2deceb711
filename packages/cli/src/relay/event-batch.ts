// A batch of events as it came, judged line by line as the server does: what is not an event is named, the rest is kept.
import { gunzipSync } from 'node:zlib'
import { parseEventLine } from '@signalbox/wire'

const MIB = 1024 * 1024
export const MAX_SENT_BYTES = 8 * MIB
export const MAX_INFLATED_BYTES = 64 * MIB
const MAX_LINES = 20_000

export interface LineRefusal {
  /** From 1. */
  readonly line: number
  readonly code: string
  readonly detail: string
}

export interface JudgedBatch {
  /** NDJSON of the good lines; empty when there are none. */
  readonly lines: string
  readonly count: number
  readonly refusals: readonly LineRefusal[]
  /** Highest sequence number of each session in the batch. */
  readonly through: { readonly [session: string]: number }
}

/** null: it cannot be inflated within the limits. */
export function judgeBatch(body: Buffer, isGzip: boolean): JudgedBatch | null {
  const text = textOf(body, isGzip)
  if (text === null) return null
  const good: string[] = []
  const refusals: LineRefusal[] = []
  const through: Record<string, number> = {}
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const number = index + 1
    if (number > MAX_LINES) {
      const detail = `Only the first ${MAX_LINES} lines of a request are stored. Send the rest again.`
      refusals.push({ line: number, code: 'too_many_lines', detail })
      break
    }
    const parsed = parseEventLine(line)
    if (parsed.ok) {
      good.push(`${line}\n`)
      const { session, seq } = parsed.event
      through[session] = Math.max(through[session] ?? 0, seq)
    } else
      refusals.push({ line: number, code: parsed.problem.code, detail: parsed.problem.message })
  }
  return { lines: good.join(''), count: good.length, refusals, through }
}

function textOf(body: Buffer, isGzip: boolean): string | null {
  if (!isGzip) return body.toString('utf8')
  try {
    return gunzipSync(body, { maxOutputLength: MAX_INFLATED_BYTES }).toString('utf8')
  } catch {
    return null
  }
}

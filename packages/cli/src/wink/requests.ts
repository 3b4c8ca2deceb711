import { byteLength } from '@signalbox/wire'

const MOST_LINES = 500
const MOST_BYTES = 8 * 1024 * 1024

/** Groups NDJSON lines in order; a line above the limit is sent alone. */
export function splitRequests(lines: readonly string[]): readonly (readonly string[])[] {
  const requests: string[][] = []
  let open: string[] = []
  let bytes = 0
  for (const line of lines) {
    const length = byteLength(line)
    if (open.length >= MOST_LINES || (open.length > 0 && bytes + length > MOST_BYTES)) {
      requests.push(open)
      open = []
      bytes = 0
    }
    open.push(line)
    bytes += length
  }
  return open.length === 0 ? requests : [...requests, open]
}

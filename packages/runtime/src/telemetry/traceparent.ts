export interface Traceparent {
  /** 32 lower-case hexadecimal digits, not all zero. */
  readonly traceId: string
  /** 16 lower-case hexadecimal digits, not all zero. */
  readonly spanId: string
  /** One byte; 1: sampled. */
  readonly flags: number
}

const FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/s
const ZEROS = /^0+$/
const SAMPLED = 1

/** null: absent or not valid, so a new trace begins. Reads only the fields of version 00 from later versions. */
export function parseTraceparent(text: string | undefined): Traceparent | null {
  const [, version, traceId, spanId, digits, rest] = FORM.exec(text ?? '') ?? []
  if (version === undefined || traceId === undefined || spanId === undefined) return null
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return null
  const flags = Number.parseInt(digits ?? '', 16)
  return { traceId, spanId, flags: version === '00' ? flags : flags & SAMPLED }
}

export function formatTraceparent({ traceId, spanId, flags }: Traceparent): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`
}

/** Normal form for recording and forwarding; null: absent or not valid. */
export function normalTraceparent(text: string | undefined): string | null {
  const parsed = parseTraceparent(text)
  return parsed === null ? null : formatTraceparent(parsed)
}

// Limits bodies of the console's own endpoints: their size must be declared and small, before they are read.
import { problemResponse } from './problem.ts'

/** Null: the body may be read, or there is none. Otherwise the refusal. */
export function refuseLargeBody(request: Request, maxBytes: number): Response | null {
  if (request.method === 'GET' || request.method === 'HEAD') return null
  const stated = request.headers.get('content-length')
  if (stated === null && request.body !== null) {
    const detail = 'State the size of the body in content-length.'
    return problemResponse({ status: 411, title: 'Length required', detail })
  }
  if (Number(stated ?? 0) <= maxBytes) return null
  const detail = `The body is larger than ${maxBytes} bytes.`
  return problemResponse({ status: 413, title: 'Too large', detail })
}

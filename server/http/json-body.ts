// The declared size is checked before reading, an undeclared one while it arrives, so a huge body costs no memory.
import { isTooDeep, MAX_DEPTH, parseForm } from '@signalbox/wire'
import type { z } from 'zod'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { requireStorable } from '@/server/platform/unstorable.ts'
import { refuseForm } from './problem.ts'
import { timedChunks, timedText } from './timed-body.ts'

const MIB = 1024 * 1024
/** Depth of the deepest event plus the levels that an import file adds. Storing or hashing a deeper value exhausts the stack. */
const MAX_LEVELS = MAX_DEPTH + 20

async function readText(request: Request, maxBytes: number): Promise<string> {
  const stated = request.headers.get('content-length')
  if (stated === null) return await readUnstated(request, maxBytes)
  if (!(Number(stated) <= maxBytes)) throw tooLarge(maxBytes)
  // Node cuts off a body at its declared length.
  return await timedText(request)
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('invalid', `The body is larger than ${maxBytes / MIB} MiB.`)
}

async function readUnstated(request: Request, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of timedChunks(request)) {
    size += chunk.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function parseJson(text: string): unknown {
  if (isTooDeep(text, MAX_LEVELS)) {
    throw new ServiceError('invalid', `The body is nested deeper than ${MAX_LEVELS}. Flatten it.`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new ServiceError('invalid', 'The body is not JSON.')
  }
}

/** The parsed body, unvalidated. Rejects with `invalid`, and with `timeout` when it stops arriving. */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  return parseJson(await readText(request, maxBytes))
}

/** Rejects with a 422 that names every wrong field, also texts that the database cannot store. `maxBytes` as sent; absent: 1 MiB. */
export async function readJsonBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  maxBytes = MIB,
): Promise<z.output<Schema>> {
  return requireForm(await readJson(request, maxBytes), schema)
}

/** The validated value of a body in JSON. Throws like `readJsonBody`. */
export function parseJsonBody<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
): z.output<Schema> {
  return requireForm(parseJson(text), schema)
}

function requireForm<Schema extends z.ZodType>(value: unknown, schema: Schema): z.output<Schema> {
  const parsed = parseForm(schema, value)
  if (parsed.ok) {
    requireStorable(parsed.value)
    return parsed.value
  }
  return refuseForm('body', parsed.problems.slice(0, 50))
}

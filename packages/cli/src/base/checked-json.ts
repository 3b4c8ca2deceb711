import { parseForm } from '@signalbox/wire'
import type * as z from 'zod/v4'
import { Unusable } from './io.ts'

/** Throws Unusable, naming the file and the place in it. */
export function parseCheckedJson<Schema extends z.ZodType>(
  schema: Schema,
  file: string,
  text: string,
): z.output<Schema> {
  return requireForm(schema, file, parseJson(file, text))
}

/** `name`: of the file, perhaps with the place of the value in it. Throws Unusable, naming the place. */
export function requireForm<Schema extends z.ZodType>(
  schema: Schema,
  name: string,
  value: unknown,
): z.output<Schema> {
  const parsed = parseForm(schema, value)
  if (parsed.ok) return parsed.value
  const [{ path, message }] = parsed.problems
  throw new Unusable(`${name}${path.map((part) => `/${String(part)}`).join('')}: ${message}`)
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Unusable(`${file} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}

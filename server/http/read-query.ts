import { parseForm } from '@signalbox/wire'
import type { z } from 'zod'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { requireStorable } from '@/server/platform/unstorable.ts'

/** Throws `invalid`, which names the first parameter that `schema` refuses. */
export function readQuery<Query>(schema: z.ZodType<Query>, request: Request): Query {
  const parsed = parseForm(schema, Object.fromEntries(new URL(request.url).searchParams))
  if (parsed.ok) {
    requireStorable(parsed.value)
    return parsed.value
  }
  const [{ path, message }] = parsed.problems
  const field = path.join('.')
  throw new ServiceError('invalid', field === '' ? message : `${field}: ${message}`, field)
}

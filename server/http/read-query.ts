import type { z } from 'zod'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { requireStorable } from '@/server/platform/unstorable.ts'

/** Throws `invalid`, which names the first parameter that `schema` refuses. */
export function readQuery<Query>(schema: z.ZodType<Query>, request: Request): Query {
  const parsed = schema.safeParse(Object.fromEntries(new URL(request.url).searchParams))
  if (parsed.success) {
    requireStorable(parsed.data)
    return parsed.data
  }
  const [issue] = parsed.error.issues
  const field = issue?.path.join('.') ?? ''
  const message = issue?.message ?? 'The query is not valid.'
  throw new ServiceError('invalid', field === '' ? message : `${field}: ${message}`, field)
}

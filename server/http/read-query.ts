import { parseForm } from '@signalbox/wire'
import type { z } from 'zod'
import { requireStorable } from '@/server/platform/unstorable.ts'
import { refuseForm } from './problem.ts'

/** Throws a 422 that names every parameter that `schema` refuses. */
export function readQuery<Query>(schema: z.ZodType<Query>, request: Request): Query {
  const parsed = parseForm(schema, Object.fromEntries(new URL(request.url).searchParams))
  if (parsed.ok) {
    requireStorable(parsed.value)
    return parsed.value
  }
  return refuseForm('query', parsed.problems)
}

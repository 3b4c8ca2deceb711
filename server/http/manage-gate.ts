import type { KeyScopeName } from '@/server/platform/auth/key-scopes.kinds.ts'
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { createThrottle } from '@/server/platform/auth/throttle.ts'
import { type Call, type Endpoint, type Explained, type Operation, operation } from './operation.ts'
import { Problem } from './problem.ts'

const WINDOW_MS = 60_000
/** Requests per key and minute; a build of a hundred configs needs about 400. */
export const MOST_REQUESTS = 1_200

const requests = createThrottle({
  name: 'management requests',
  limit: MOST_REQUESTS,
  windowMs: WINDOW_MS,
})

type ManageOperation = Operation & { readonly scope: Exclude<KeyScopeName, 'ingest'> }

export function managed<const Declared extends ManageOperation>(
  declared: Declared & Explained<Declared['path']>,
  work: (call: Call<Declared>) => Promise<Response>,
): Endpoint {
  return operation<Declared>(declared, work, admit)
}

async function admit({ keyId }: KeyScope): Promise<void> {
  if (await requests.admit(keyId)) return
  throw new Problem({
    status: 429,
    title: 'Too many requests',
    detail: `A key may send ${MOST_REQUESTS} requests a minute. Wait, then go on.`,
    headers: { 'retry-after': String(WINDOW_MS / 1000) },
  })
}

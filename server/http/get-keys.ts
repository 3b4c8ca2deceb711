// GET /api/runtime/v1/keys: the records that lead from signing key to signing key, for runtimes of the key's project.

import { keyRecords } from '@/server/bundles/key-records.ts'
import { requireKeyScope } from '@/server/platform/auth/api-key.ts'
import { isKnownTag } from './etag.ts'
import { answer } from './problem.ts'

export function getKeys(request: Request): Promise<Response> {
  return answer(async () => {
    const { projectId } = await requireKeyScope(request, 'read')
    const { text, digest } = await keyRecords(projectId)
    const etag = `"${digest}"`
    const headers = { etag, 'cache-control': 'private, no-cache' }
    if (isKnownTag(request.headers.get('if-none-match'), etag))
      return new Response(null, { status: 304, headers })
    return new Response(text, {
      headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    })
  })
}

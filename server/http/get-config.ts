// GET /api/runtime/v1/config: the signed bundle of the key's environment, exact text (specs/data-plane.md).

import { bodyFor, currentBundle } from '@/server/bundles/bundles.ts'
import { requireKeyScope } from '@/server/platform/auth/api-key.ts'
import { isKnownTag } from './etag.ts'
import { answer } from './problem.ts'

/** Optional parts that the runtime reads; one of an earlier version names none. */
export function askedParts(request: Request): readonly string[] {
  return (new URL(request.url).searchParams.get('parts') ?? '').split(',')
}

export function getConfig(request: Request): Promise<Response> {
  return answer(async () => {
    const scope = await requireKeyScope(request, 'read')
    const bundle = await currentBundle(scope)
    const { revision } = bundle
    const { digest, body, signature } = bodyFor(bundle, askedParts(request))
    const etag = `"${digest}"`
    const headers = {
      etag,
      'signalbox-revision': String(revision),
      'signalbox-signature': signature,
      'cache-control': 'private, no-cache',
    }
    if (isKnownTag(request.headers.get('if-none-match'), etag)) {
      return new Response(null, { status: 304, headers })
    }
    return new Response(body, {
      headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    })
  })
}

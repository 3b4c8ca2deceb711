// GET /api/openapi.json: the HTTP interface in OpenAPI 3.1, with the prefix that this server is reached below.
import { urlPrefix } from '@/server/platform/env.ts'
import { openapiText } from './openapi/openapi-document.ts'

export function getOpenapi(): Response {
  const address = JSON.stringify(urlPrefix() || '/')
  return new Response(
    openapiText().replace('"url": "/"', () => `"url": ${address}`),
    {
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'public, max-age=300',
      },
    },
  )
}

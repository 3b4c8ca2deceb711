// GET /api/openapi.json: the HTTP interface in OpenAPI 3.1, as every build of this version serves it.
import { openapiText } from './openapi/openapi-document.ts'

export function getOpenapi(): Response {
  return new Response(openapiText(), {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
    },
  })
}

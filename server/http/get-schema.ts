// GET /schemas/<name>.json: the JSON Schemas of all wire formats, for editors and other programs. Public. A name includes its version, so the
// address of a schema stays the same.

import { jsonSchemas } from '@signalbox/wire'
import { problemResponse } from './problem.ts'

interface Context {
  readonly params: Promise<{ readonly file: string }>
}

export async function getSchema(_request: Request, context: Context): Promise<Response> {
  const { file } = await context.params
  const schemas = jsonSchemas()
  const name = file.replace(/\.json$/, '')
  if (name === file || !Object.hasOwn(schemas, name)) {
    return problemResponse({
      status: 404,
      title: 'Not found',
      detail: 'This server has no schema of this name. That of configs is config-v1.json.',
    })
  }
  return new Response(JSON.stringify(schemas[name], null, 2), {
    headers: {
      'content-type': 'application/schema+json',
      // Pages of other sites may use it: it is the same for everyone.
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
    },
  })
}

// The key comes from an environment variable and is never shown.
import type { ShownRoute } from '@/server/http/api-page.ts'

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

export function formatCurl({ method, examplePath, scope, parameters, body }: ShownRoute): string {
  const headers = parameters.filter((parameter) => parameter.in === 'header' && parameter.required)
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$SIGNALBOX_URL${examplePath}"`,
    ...(scope === null ? [] : ['-H "Authorization: Bearer $SIGNALBOX_API_KEY"']),
    ...headers.map(({ name, example }) => `-H ${quoted(`${name}: ${String(example)}`)}`),
    ...(body === null
      ? []
      : [
          `-H ${quoted(`Content-Type: ${body.type}`)}`,
          `--data-binary ${quoted(compact(body.example ?? ''))}`,
        ]),
  ]
  return parts.join(' \\\n  ')
}

function compact(example: string): string {
  try {
    return JSON.stringify(JSON.parse(example))
  } catch {
    return example
  }
}

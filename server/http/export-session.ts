// GET /api/export/sessions/{id}: the session's events as a file of NDJSON. Signed-in people only.
import { requireProjectScope } from '../auth/session.ts'
import { ServiceError } from '../errors.ts'
import { exportSession } from '../services/export-session.ts'
import { answer } from './problem.ts'

const SESSION_ID = /^[A-Za-z0-9_]{1,80}$/

function streamOf(pages: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const page = await pages.next()
      if (page.done === true) controller.close()
      else controller.enqueue(encoder.encode(page.value))
    },
    async cancel() {
      await pages.return(undefined)
    },
  })
}

export function handleExportSession(request: Request, sessionId: string): Promise<Response> {
  return answer(async () => {
    const scope = await requireProjectScope(request.headers)
    // An address may hold any character, a database text may not.
    if (!SESSION_ID.test(sessionId)) {
      throw new ServiceError('not_found', 'There is no such session.')
    }
    const pages = await exportSession(scope, sessionId)
    // An unknown id was refused above, so the name holds only what session ids hold.
    return new Response(streamOf(pages), {
      headers: {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': `attachment; filename="${sessionId}.jsonl"`,
        'cache-control': 'no-store',
      },
    })
  })
}

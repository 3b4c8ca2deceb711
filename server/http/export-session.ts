// GET /api/export/sessions/{id}: the session's events as a file of NDJSON. Signed-in people only.
import { PROJECT_HEADER, withAskedProject } from '../auth/asked-project.ts'
import { requireProjectScope, requireUser } from '../auth/session.ts'
import { ServiceError } from '../errors.ts'
import { exportSession } from '../services/export-session.ts'
import { projectOfId } from '../services/projects.ts'
import { answer } from './problem.ts'
import { streamOf } from './text-stream.ts'

const SESSION_ID = /^[A-Za-z0-9_]{1,80}$/

/** A link to a file names no project: then it is the one of the person's projects that the session is in. */
async function headersFor(request: Request, sessionId: string | null): Promise<Headers> {
  const headers = withAskedProject(request)
  if (headers.has(PROJECT_HEADER) || sessionId === null) return headers
  const { id } = await requireUser(headers)
  const slug = await projectOfId(id, sessionId)
  if (slug !== null) headers.set(PROJECT_HEADER, slug)
  return headers
}

export function handleExportSession(request: Request, sessionId: string): Promise<Response> {
  return answer(async () => {
    // An address may hold any character, a database text may not.
    const isId = SESSION_ID.test(sessionId)
    const scope = await requireProjectScope(await headersFor(request, isId ? sessionId : null))
    if (!isId) throw new ServiceError('not_found', 'There is no such session.')
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

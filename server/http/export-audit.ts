// GET /api/export/audit?format=csv|jsonl: the audit log as a file, with the console's own filter. Admins only.
import { z } from 'zod'
import { exportAudit } from '@/server/audit-log/audit-log.ts'
import { AuditFilterInput } from '@/server/audit-log/audit-log-input.ts'
import { withAskedProject } from '@/server/platform/auth/asked-project.ts'
import { requirePermission } from '@/server/platform/auth/permissions.ts'
import { requireProjectScope } from '@/server/platform/auth/session.ts'
import { ServiceError } from '@/server/platform/errors.ts'
import { requireStorable } from '@/server/platform/unstorable.ts'
import { answer } from './problem.ts'
import { streamOf } from './text-stream.ts'

export const AuditExportQuery = AuditFilterInput.extend({
  format: z.enum(['csv', 'jsonl']).default('jsonl'),
})

const TYPE = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson; charset=utf-8' }

export function handleExportAudit(request: Request): Promise<Response> {
  return answer(async () => {
    const scope = await requireProjectScope(withAskedProject(request))
    requirePermission(scope.role, 'member.manage')
    const query = AuditExportQuery.safeParse(Object.fromEntries(new URL(request.url).searchParams))
    if (!query.success) {
      const [issue] = query.error.issues
      throw new ServiceError('invalid', issue?.message ?? 'Not a filter.', issue?.path.join('.'))
    }
    requireStorable(query.data)
    const { format, ...filter } = query.data
    const day = new Date().toISOString().slice(0, 10)
    return new Response(streamOf(exportAudit(scope, filter, format)), {
      headers: {
        'content-type': TYPE[format],
        'content-disposition': `attachment; filename="audit-log-${day}.${format}"`,
        'cache-control': 'no-store',
      },
    })
  })
}

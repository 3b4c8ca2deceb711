// The audit log, for admins.
import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { filterShape, listInput } from '@/server/platform/trpc/list-input.ts'
import { AUDIT_LOG } from './audit-log.list.ts'
import { auditLogList } from './audit-log.sql.ts'
import { askForCheck, auditEntry, listAuditChoices, readAuditChain } from './audit-log.ts'

export const AuditFilterInput = z.object(filterShape(AUDIT_LOG))

const forAdmins = procedureFor('member.manage')

export const auditLogRouter = router({
  list: forAdmins
    .input(listInput(AUDIT_LOG, AuditFilterInput))
    .query(({ ctx, input }) => auditLogList.page(ctx.scope, input)),
  entry: forAdmins
    .input(z.object({ id: z.string().max(64) }))
    .query(({ ctx, input }) => auditEntry(ctx.scope, input.id)),
  choices: forAdmins.query(({ ctx }) => listAuditChoices(ctx.scope)),
  chain: forAdmins.query(({ ctx }) => readAuditChain(ctx.scope)),
  check: forAdmins.mutation(({ ctx }) => askForCheck(ctx.scope)),
})

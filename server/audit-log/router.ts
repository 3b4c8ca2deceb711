import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { filterShape, listInput } from '@/server/platform/trpc/list-input.ts'
import { readChain } from './audit-chain.sql.ts'
import { AUDIT_LOG } from './audit-log.list.ts'
import { auditChoices, auditLogList } from './audit-log.sql.ts'
import { askForCheck, loadAuditEntry } from './audit-log.ts'

export const AuditFilterInput = z.object(filterShape(AUDIT_LOG))

const forAdmins = procedureFor('member.manage')

export const auditLogRouter = router({
  list: forAdmins
    .input(listInput(AUDIT_LOG, AuditFilterInput))
    .query(({ ctx, input }) => auditLogList.page(ctx.scope, input)),
  entry: forAdmins
    .input(z.object({ id: z.string().max(64) }))
    .query(({ ctx, input }) => loadAuditEntry(ctx.scope, input.id)),
  choices: forAdmins.query(({ ctx }) => auditChoices(ctx.scope)),
  chain: forAdmins.query(({ ctx }) => readChain(ctx.scope.projectId)),
  check: forAdmins.mutation(({ ctx }) => askForCheck(ctx.scope)),
})

// The audit log, for admins.
import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import {
  askForCheck,
  auditEntry,
  auditPage,
  listAuditChoices,
  readAuditChain,
} from './audit-log.ts'
import { AuditFilterInput } from './audit-log-input.ts'

const forAdmins = procedureFor('member.manage')

export const auditLogRouter = router({
  /** Audit log, newest first; `cursor` is the `next` of the page before. */
  list: forAdmins
    .input(z.object({ filter: AuditFilterInput, cursor: z.string().max(120).nullish() }))
    .query(({ ctx, input }) => auditPage(ctx.scope, input.filter, input.cursor ?? null)),
  entry: forAdmins
    .input(z.object({ id: z.string().max(64) }))
    .query(({ ctx, input }) => auditEntry(ctx.scope, input.id)),
  choices: forAdmins.query(({ ctx }) => listAuditChoices(ctx.scope)),
  chain: forAdmins.query(({ ctx }) => readAuditChain(ctx.scope)),
  check: forAdmins.mutation(({ ctx }) => askForCheck(ctx.scope)),
})

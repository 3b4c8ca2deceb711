// Input shapes of environments. Forms use them too, so nothing of the server is imported.
import { EnvironmentName } from '@signalbox/wire'
import { z } from 'zod'

export const EnvironmentInput = z.object({
  name: EnvironmentName,
  requiresNote: z.boolean(),
  requiresTypedName: z.boolean(),
  requiredApprovals: z.int().min(0).max(5),
  rollbackSkipsApproval: z.boolean(),
  requiresBacktest: z.boolean(),
})

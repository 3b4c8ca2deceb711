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

/** Requirements of a new environment, unless others are given. */
export const NEW_DEMANDS = {
  requiresNote: false,
  requiresTypedName: false,
  requiredApprovals: 0,
  rollbackSkipsApproval: true,
  requiresBacktest: false,
} as const

const { shape } = EnvironmentInput

export const NewEnvironmentInput = EnvironmentInput.extend({
  requiresNote: shape.requiresNote.default(NEW_DEMANDS.requiresNote),
  requiresTypedName: shape.requiresTypedName.default(NEW_DEMANDS.requiresTypedName),
  requiredApprovals: shape.requiredApprovals.default(NEW_DEMANDS.requiredApprovals),
  rollbackSkipsApproval: shape.rollbackSkipsApproval.default(NEW_DEMANDS.rollbackSkipsApproval),
  requiresBacktest: shape.requiresBacktest.default(NEW_DEMANDS.requiresBacktest),
})

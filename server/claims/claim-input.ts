// Input shapes of claims. Forms use them too, so nothing of the server is imported.
import { Claim } from '@signalbox/wire'
import { z } from 'zod'
import { PromptInput } from '@/server/platform/trpc/inputs.ts'

export const ClaimId = z.string().min(1).max(80)

export const AddClaimInput = PromptInput.extend(Claim.shape)

// Read and write the draft; see server/http/manage-configs.ts.
import { getDraft, putDraft } from '@/server/http/manage-configs.ts'

export const dynamic = 'force-dynamic'

export const GET = getDraft
export const PUT = putDraft

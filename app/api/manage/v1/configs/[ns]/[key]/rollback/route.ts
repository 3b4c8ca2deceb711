// Rolls back; see server/http/manage-releases.ts.
import { postRollback } from '@/server/http/manage-releases.ts'

export const dynamic = 'force-dynamic'

export const POST = postRollback

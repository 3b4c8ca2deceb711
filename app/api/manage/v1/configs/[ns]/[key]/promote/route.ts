// Promotes a version; see server/http/manage-releases.ts.
import { postPromote } from '@/server/http/manage-releases.ts'

export const dynamic = 'force-dynamic'

export const POST = postPromote

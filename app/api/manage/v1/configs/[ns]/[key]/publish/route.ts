// Publishes the draft; see server/http/manage-releases.ts.
import { postPublish } from '@/server/http/manage-releases.ts'

export const dynamic = 'force-dynamic'

export const POST = postPublish

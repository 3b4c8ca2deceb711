// See server/http/surpass-revision.ts.
import { postRevision } from '@/server/http/surpass-revision.ts'

export const dynamic = 'force-dynamic'

export const POST = postRevision

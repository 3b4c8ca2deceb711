// See server/http/await-answer.ts.
import { postApprovals } from '@/server/http/await-answer.ts'

export const dynamic = 'force-dynamic'

export const POST = postApprovals

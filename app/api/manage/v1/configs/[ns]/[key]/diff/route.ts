// Compares in words; see server/http/manage-configs.ts.
import { postDiff } from '@/server/http/manage-configs.ts'

export const dynamic = 'force-dynamic'

export const POST = postDiff

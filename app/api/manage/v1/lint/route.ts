// Checks a text; see server/http/manage-configs.ts.
import { postLint } from '@/server/http/manage-configs.ts'

export const dynamic = 'force-dynamic'

export const POST = postLint

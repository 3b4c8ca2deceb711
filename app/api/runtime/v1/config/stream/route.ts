// Hints at new revisions; see server/http/config-stream.ts.
import { getConfigStream } from '@/server/http/config-stream.ts'

export const dynamic = 'force-dynamic'

export const GET = getConfigStream

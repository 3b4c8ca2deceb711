// Event batches of runtimes; see server/http/ingest-events.ts.
import { postEvents } from '@/server/http/ingest-events.ts'

export const dynamic = 'force-dynamic'

export const POST = postEvents

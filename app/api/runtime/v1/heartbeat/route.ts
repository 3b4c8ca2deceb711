// See server/http/heartbeat.ts.
import { postHeartbeat } from '@/server/http/heartbeat.ts'

export const dynamic = 'force-dynamic'

export const POST = postHeartbeat

// Liveness with the database; see server/http/health.ts.
import { getHealth } from '@/server/http/health.ts'

export const dynamic = 'force-dynamic'

export const GET = getHealth

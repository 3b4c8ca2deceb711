// For whatever watches this process; see server/http/metrics.ts.
import { getMetrics } from '@/server/http/metrics.ts'

export const dynamic = 'force-dynamic'

export const GET = getMetrics

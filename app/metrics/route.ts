import { getMetrics } from '@/server/http/metrics.ts'

export const dynamic = 'force-dynamic'

export const GET = getMetrics

// For whatever watches this process; see server/http/operations.ts.
import { getMetrics } from '@/server/http/operations.ts'

export const dynamic = 'force-dynamic'

export const GET = getMetrics

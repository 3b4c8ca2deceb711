// Readiness endpoint for process monitors; see server/http/health.ts.
import { getReadyz } from '@/server/http/health.ts'

export const dynamic = 'force-dynamic'

export const GET = getReadyz

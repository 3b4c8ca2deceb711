// For whatever watches this process; see server/http/health.ts.
import { getReadyz } from '@/server/http/health.ts'

export const dynamic = 'force-dynamic'

export const GET = getReadyz

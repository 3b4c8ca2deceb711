import { getReadyz } from '@/server/http/health.ts'

export const dynamic = 'force-dynamic'

export const GET = getReadyz

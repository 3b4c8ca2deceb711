// Liveness endpoint for process monitors; see server/http/health.ts.
import { getLivez } from '@/server/http/health.ts'

export const dynamic = 'force-dynamic'

export const GET = getLivez

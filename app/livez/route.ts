// For whatever watches this process; see server/http/operations.ts.
import { getLivez } from '@/server/http/operations.ts'

export const dynamic = 'force-dynamic'

export const GET = getLivez

// Reads a version; see server/http/manage-configs.ts.
import { getVersion } from '@/server/http/manage-configs.ts'

export const dynamic = 'force-dynamic'

export const GET = getVersion

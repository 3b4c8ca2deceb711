// Lists versions; see server/http/manage-configs.ts.
import { getVersions } from '@/server/http/manage-configs.ts'

export const dynamic = 'force-dynamic'

export const GET = getVersions

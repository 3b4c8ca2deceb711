// Lists environments; see server/http/manage-releases.ts.
import { getEnvironments } from '@/server/http/manage-releases.ts'

export const dynamic = 'force-dynamic'

export const GET = getEnvironments

// List and create configs; see server/http/manage-configs.ts.
import { getConfigs, postConfig } from '@/server/http/manage-configs.ts'

export const dynamic = 'force-dynamic'

export const GET = getConfigs
export const POST = postConfig

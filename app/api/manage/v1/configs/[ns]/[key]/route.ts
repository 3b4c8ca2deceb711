// Read, archive and restore a config; see server/http/manage-configs.ts.
import { getManagedConfig, patchConfig } from '@/server/http/manage-configs.ts'

export const dynamic = 'force-dynamic'

export const GET = getManagedConfig
export const PATCH = patchConfig

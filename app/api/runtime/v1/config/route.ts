// The signed bundle for runtimes; see server/http/get-config.ts.
import { getConfig } from '@/server/http/get-config.ts'

export const dynamic = 'force-dynamic'

export const GET = getConfig

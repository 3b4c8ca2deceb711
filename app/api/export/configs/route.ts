// See server/http/transfer.ts.
import { handleExportConfigs } from '@/server/http/transfer.ts'

export const dynamic = 'force-dynamic'

export const GET = handleExportConfigs

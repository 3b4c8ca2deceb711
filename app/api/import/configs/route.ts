// See server/http/transfer.ts.
import { handleImportConfigs } from '@/server/http/transfer.ts'

export const dynamic = 'force-dynamic'

export const POST = handleImportConfigs

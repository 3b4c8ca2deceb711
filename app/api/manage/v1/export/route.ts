// Exports the project; see server/http/manage-transfer.ts.
import { getExport } from '@/server/http/manage-transfer.ts'

export const dynamic = 'force-dynamic'

export const GET = getExport

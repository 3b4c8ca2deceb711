// See server/http/export-lists.ts.
import { handleExportStops } from '@/server/http/export-lists.ts'

export const dynamic = 'force-dynamic'

export const GET = handleExportStops

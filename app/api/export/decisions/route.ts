// See server/http/export-lists.ts.
import { handleExportDenials } from '@/server/http/export-lists.ts'

export const dynamic = 'force-dynamic'

export const GET = handleExportDenials

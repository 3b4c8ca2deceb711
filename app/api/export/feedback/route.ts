// See server/http/export-lists.ts.
import { handleExportFeedback } from '@/server/http/export-lists.ts'

export const dynamic = 'force-dynamic'

export const GET = handleExportFeedback

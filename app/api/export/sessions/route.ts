// See server/http/export-lists.ts.
import { handleExportSessions } from '@/server/http/export-lists.ts'

export const dynamic = 'force-dynamic'

export const GET = handleExportSessions

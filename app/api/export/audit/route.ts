// See server/http/export-audit.ts.
import { handleExportAudit } from '@/server/http/export-audit.ts'

export const dynamic = 'force-dynamic'

export const GET = handleExportAudit

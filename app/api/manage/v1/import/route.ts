// Imports configs; see server/http/manage-transfer.ts.
import { postImport } from '@/server/http/manage-transfer.ts'

export const dynamic = 'force-dynamic'

export const POST = postImport

// See server/http/export-report.ts.
import { handleExportDecision } from '@/server/http/export-report.ts'

export const dynamic = 'force-dynamic'

export async function GET(
  request: Request,
  { params }: { readonly params: Promise<{ readonly id: string }> },
): Promise<Response> {
  return handleExportDecision(request, (await params).id)
}

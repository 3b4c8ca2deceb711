// See server/http/export-report.ts.
import { handleExportStop } from '@/server/http/export-report.ts'

export const dynamic = 'force-dynamic'

export async function GET(
  request: Request,
  { params }: { readonly params: Promise<{ readonly id: string }> },
): Promise<Response> {
  return handleExportStop(request, (await params).id)
}

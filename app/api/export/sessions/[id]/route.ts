// See server/http/export-session.ts.
import { handleExportSession } from '@/server/http/export-session.ts'

export const dynamic = 'force-dynamic'

export async function GET(
  request: Request,
  { params }: { readonly params: Promise<{ readonly id: string }> },
): Promise<Response> {
  return handleExportSession(request, (await params).id)
}

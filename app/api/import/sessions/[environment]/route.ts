// See server/http/import-session.ts.
import { handleImportSession } from '@/server/http/import-session.ts'

export const dynamic = 'force-dynamic'

export async function POST(
  request: Request,
  { params }: { readonly params: Promise<{ readonly environment: string }> },
): Promise<Response> {
  return await handleImportSession(request, (await params).environment)
}

import { handleTrpc } from '@/server/http/trpc.ts'

export const dynamic = 'force-dynamic'

export const GET = handleTrpc
export const POST = handleTrpc

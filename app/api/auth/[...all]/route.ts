import { handleAuth } from '@/server/http/auth.ts'

export const dynamic = 'force-dynamic'

export const GET = handleAuth
export const POST = handleAuth

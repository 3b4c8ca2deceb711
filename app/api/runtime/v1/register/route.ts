// See server/http/register.ts.
import { postRegister } from '@/server/http/register.ts'

export const dynamic = 'force-dynamic'

export const POST = postRegister

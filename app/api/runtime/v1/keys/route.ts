// The records of signing keys for runtimes; see server/http/get-keys.ts.
import { getKeys } from '@/server/http/get-keys.ts'

export const dynamic = 'force-dynamic'

export const GET = getKeys

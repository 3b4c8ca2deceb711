import { getSchema } from '@/server/http/get-schema.ts'

export const dynamic = 'force-dynamic'

export const GET = getSchema

// The HTTP interface described; see server/http/openapi.ts.
import { getOpenapi } from '@/server/http/openapi.ts'

export const GET = getOpenapi

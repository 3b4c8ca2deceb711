import { getDocsImage } from '@/server/http/docs.ts'

export const dynamic = 'force-dynamic'

export const GET = getDocsImage

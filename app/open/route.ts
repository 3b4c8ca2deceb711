import { getOpenPage } from '@/server/http/open-page.ts'

export const dynamic = 'force-dynamic'

export const GET = getOpenPage

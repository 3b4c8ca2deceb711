import { getPackage } from '@/server/http/get-package.ts'

export const dynamic = 'force-dynamic'

export const GET = getPackage

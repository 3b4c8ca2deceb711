import { getCommandPackage } from '@/server/http/get-command-package.ts'

export const dynamic = 'force-dynamic'

export const GET = getCommandPackage

// Lists releases; see server/http/manage-releases.ts.
import { getReleases } from '@/server/http/manage-releases.ts'

export const dynamic = 'force-dynamic'

export const GET = getReleases

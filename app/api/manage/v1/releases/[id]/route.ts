// Tells how far a release has got; see server/http/manage-releases.ts.
import { getRelease } from '@/server/http/manage-releases.ts'

export const dynamic = 'force-dynamic'

export const GET = getRelease

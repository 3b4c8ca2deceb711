// GET /packages/<file>, and /packages/@signalbox%2f<library> as package managers ask a registry (server/runtimes/served-packages.ts). Public.
// Every other name is not found, and no answer lists the names.

import { clientAddress } from '@/server/platform/auth/client-address.ts'
import { createThrottle } from '@/server/platform/auth/throttle.ts'
import { findLibrary, findPackedFile } from '@/server/runtimes/served-packages.ts'
import { problemResponse } from './problem.ts'

const WINDOW_MS = 60_000
/** Downloads per address and minute; a fleet behind one proxy may connect at once. */
export const MOST_DOWNLOADS = 60
const downloads = createThrottle({
  name: 'command packages',
  limit: MOST_DOWNLOADS,
  windowMs: WINDOW_MS,
})

interface Context {
  readonly params: Promise<{ readonly file: string }>
}

export async function getPackage(request: Request, context: Context): Promise<Response> {
  // Without the database, downloads are not counted but still served.
  const isAdmitted = await downloads.admit(clientAddress(request.headers) ?? '').catch(() => true)
  if (!isAdmitted) {
    return problemResponse({
      status: 429,
      title: 'Too many requests',
      detail: `This address downloaded ${MOST_DOWNLOADS} packages in a minute. Try again in a minute.`,
      headers: { 'retry-after': '60' },
    })
  }
  const { file } = await context.params
  const library = await findLibrary(file.replace(/%2f/i, '/'))
  if (library !== null) {
    return Response.json(library, { headers: { 'cache-control': 'public, max-age=300' } })
  }
  const packed = await findPackedFile(file)
  if (packed === null) {
    return problemResponse({
      status: 404,
      title: 'Not found',
      detail:
        'This server has no package of this name. The console shows how to install those that it has.',
    })
  }
  return new Response(packed.bytes, {
    headers: {
      'content-type': packed.contentType,
      'content-length': String(packed.bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      etag: `"${packed.sha256}"`,
    },
  })
}

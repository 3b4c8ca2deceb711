// GET /packages/signalbox-<version>.tgz. Public. Every other name is not found, and no answer lists the names.

import { clientAddress } from '@/server/platform/auth/client-address.ts'
import { createThrottle } from '@/server/platform/auth/throttle.ts'
import { packedCommand } from '@/server/runtimes/command-package.ts'
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

export async function getCommandPackage(request: Request, context: Context): Promise<Response> {
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
  const command = await packedCommand()
  if (command === null || file !== command.file) {
    return problemResponse({
      status: 404,
      title: 'Not found',
      detail: 'This server has no package of this name. The console shows the one that it has.',
    })
  }
  return new Response(command.bytes, {
    headers: {
      'content-type': 'application/gzip',
      'content-length': String(command.bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      etag: `"${command.shown.sha256}"`,
    },
  })
}

import type { ProjectScope } from '../auth/scope.ts'
import { ServiceError } from '../base/errors.ts'
import type { AuthorizedProjectId } from '../ids.ts'
import type { ChangeNotification } from './change-notification.ts'
import { onNotification, subscribe } from './live-bus.ts'

/** Most streams of one user in this process. A browser opens one for all its tabs. */
const MOST_STREAMS = 20

const open = new Map<string, Set<AbortController>>()

/** Ends when `signal` aborts, and when the user's membership changes. Throws `limit` when the user has too many streams. */
export function liveNotifications(
  { projectId, userId }: ProjectScope,
  signal: AbortSignal | undefined,
): AsyncGenerator<ChangeNotification> {
  const streams = open.get(userId) ?? new Set()
  if (streams.size >= MOST_STREAMS) {
    const detail = `You have ${MOST_STREAMS} live connections open. Close other windows or programs that are signed in as you.`
    throw new ServiceError('limit', detail)
  }
  const end = new AbortController()
  open.set(userId, streams.add(end))
  const stop = onNotification(projectId, ({ kind, id }) => {
    if (kind === 'member' && id === userId) end.abort()
  })
  const abort = () => end.abort()
  signal?.addEventListener('abort', abort, { once: true })
  end.signal.addEventListener('abort', () => {
    stop()
    signal?.removeEventListener('abort', abort)
    streams.delete(end)
    if (streams.size === 0 && open.get(userId) === streams) open.delete(userId)
  })
  return shownNotifications(projectId, end)
}

async function* shownNotifications(
  projectId: AuthorizedProjectId,
  end: AbortController,
): AsyncGenerator<ChangeNotification> {
  try {
    for await (const notification of subscribe(projectId, end.signal))
      if (notification.kind !== 'member') yield notification
  } finally {
    end.abort()
  }
}

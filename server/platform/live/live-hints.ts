// The hints that a person may see: those of the project that the scope names.
import type { ProjectScope } from '../auth/scope.ts'
import { ServiceError } from '../errors.ts'
import type { AuthorizedProjectId } from '../ids.ts'
import type { Hint } from './hint.ts'
import { onHint, subscribe } from './live-bus.ts'

/** Streams of one person at this process. A browser opens one for all its tabs. */
const MOST_STREAMS = 20

/** Open streams by user. */
const open = new Map<string, Set<AbortController>>()

/**
 * Ends when `signal` aborts, and when the person's membership changes: whoever still belongs connects again and passes the gate. Without a
 * signal (a call from the server itself) it runs until the caller stops reading. Throws `limit` when the person has too many streams.
 */
export function liveHints(
  { projectId, userId }: ProjectScope,
  signal: AbortSignal | undefined,
): AsyncGenerator<Hint> {
  const streams = open.get(userId) ?? new Set()
  if (streams.size >= MOST_STREAMS) {
    const detail = `You have ${MOST_STREAMS} live connections open. Close other windows or programs that are signed in as you.`
    throw new ServiceError('limit', detail)
  }
  const end = new AbortController()
  open.set(userId, streams.add(end))
  const stop = onHint(projectId, ({ kind, id }) => {
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
  return shownHints(projectId, end)
}

async function* shownHints(
  projectId: AuthorizedProjectId,
  end: AbortController,
): AsyncGenerator<Hint> {
  try {
    for await (const hint of subscribe(projectId, end.signal))
      if (hint.kind !== 'member') yield hint
  } finally {
    end.abort()
  }
}

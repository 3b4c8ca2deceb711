// GET /api/runtime/v1/config/stream: server-sent events that hint at a new revision. A hint only: runtimes poll as well
// (specs/data-plane.md). The key is checked again with every sign of life, so that a revoked one loses its stream.
import { requireKeyScope } from '../auth/api-key.ts'
import { listenToReleases } from '../services/release-stream.ts'
import { everyBeat } from './beat.ts'
import { answer } from './problem.ts'

const ALIVE = new TextEncoder().encode(': alive\n\n')

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export function getConfigStream(request: Request): Promise<Response> {
  return answer(async () => {
    const scope = await requireKeyScope(request, 'read')
    const cleanups: (() => void)[] = []
    let ended = false
    const end = (): void => {
      ended = true
      for (const cleanup of cleanups.splice(0)) cleanup()
    }
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        const send = (chunk: Uint8Array): void => {
          if (!ended) controller.enqueue(chunk)
        }
        const close = (): void => {
          if (ended) return
          end()
          // The reader may have gone first; then there is nothing left to close.
          if (!request.signal.aborted) controller.close()
        }
        request.signal.addEventListener('abort', close, { once: true })
        cleanups.push(
          everyBeat(() => {
            requireKeyScope(request, 'read').then(() => send(ALIVE), close)
          }),
        )
        const leave = await listenToReleases(scope, { send, fail: close })
        if (ended) leave()
        else cleanups.push(leave)
      },
      cancel: end,
    })
    return new Response(body, { headers: HEADERS })
  })
}

// GET /api/runtime/v1/config/stream: server-sent events that hint at a new revision. A hint only: runtimes poll as well
// (specs/data-plane.md). The key is checked again with every heartbeat, so that a revoked one loses its stream.
import { requireKeyScope } from '../auth/api-key.ts'
import type { KeyScope } from '../auth/scope.ts'
import { currentBundle } from '../services/bundles.ts'
import { onHint } from '../services/live-bus.ts'
import { answer } from './problem.ts'

const HEARTBEAT_MS = 10_000

interface Stream {
  readonly request: Request
  readonly scope: KeyScope
  readonly send: (text: string) => void
  readonly close: () => void
}

/** Starts the stream's two sources; returns the function that ends both. */
async function run({ request, scope, send, close }: Stream): Promise<() => void> {
  let sent = -1
  const tell = async (): Promise<void> => {
    const { revision, digest } = await currentBundle(scope)
    if (revision <= sent) return
    sent = revision
    send(`event: revision\nid: ${revision}\ndata: ${JSON.stringify({ revision, digest })}\n\n`)
  }
  const { environmentId } = await currentBundle(scope)
  // A failed read ends the stream; the runtime connects again and polls meanwhile.
  const unsubscribe = onHint(scope.projectId, (hint) => {
    if (hint.kind !== 'release') return
    if (hint.id === undefined || hint.id === environmentId) tell().catch(close)
  })
  const timer = setInterval(() => {
    requireKeyScope(request, 'read')
      .then(() => send(': alive\n\n'))
      .catch(close)
  }, HEARTBEAT_MS)
  await tell()
  return () => {
    clearInterval(timer)
    unsubscribe()
  }
}

export function getConfigStream(request: Request): Promise<Response> {
  return answer(async () => {
    const scope = await requireKeyScope(request, 'read')
    const encoder = new TextEncoder()
    let end = (): void => undefined
    let ended = false
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        const close = (): void => {
          if (ended) return
          ended = true
          end()
          // The reader may have gone first; then there is nothing left to close.
          if (!request.signal.aborted) controller.close()
        }
        const send = (text: string): void => {
          if (!ended) controller.enqueue(encoder.encode(text))
        }
        request.signal.addEventListener('abort', close, { once: true })
        end = await run({ request, scope, send, close })
        if (ended) end()
      },
      cancel() {
        ended = true
        end()
      },
    })
    return new Response(body, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      },
    })
  })
}

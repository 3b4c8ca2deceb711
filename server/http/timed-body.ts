// Requires a body to keep arriving, because a stalled sender would hold its connection and the memory of its data forever.
import { ServiceError } from '@/server/platform/base/errors.ts'

const SILENT_MS = 10_000
const WHOLE_MS = 30_000

function stalled(): ServiceError {
  const times = `${SILENT_MS / 1000} seconds without a byte or after ${WHOLE_MS / 1000} in all`
  return new ServiceError('timeout', `The body did not arrive in time: it ends after ${times}.`)
}

/** Rejects with `timeout` when `reading` takes too long, without stopping it. */
async function within<T>(ms: number, reading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(stalled()), ms)
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Chunks of the body; none for a request without one. Rejects with `timeout` when they stop arriving. */
export async function* timedChunks(request: Request): AsyncGenerator<Uint8Array> {
  if (request.body === null) return
  const reader = request.body.getReader()
  const end = Date.now() + WHOLE_MS
  for (;;) {
    const { done, value } = await within(Math.min(SILENT_MS, end - Date.now()), reader.read())
    if (done) return
    yield value
  }
}

/** The whole body. Reading it at once costs a tenth of reading it as a stream (decision 48). Rejects with `timeout`. */
export async function timedText(request: Request): Promise<string> {
  return await within(WHOLE_MS, request.text())
}

export async function timedBytes(request: Request): Promise<Buffer> {
  return Buffer.from(await within(WHOLE_MS, request.arrayBuffer()))
}

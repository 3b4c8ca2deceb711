// Work of a job that a user may cancel, on whichever replica it runs.

const LOOK_MS = 1_000

export interface Cancelable {
  /** Aborts when the server stops. */
  readonly signal: AbortSignal
  readonly mostMs: number
  /** False: it was canceled. */
  readonly isOpen: () => Promise<boolean>
}

/** Calls `work` with a signal that also aborts when it is canceled or late. Rejects as `work` does, and when the server stops. */
export async function runCancelable<Result>(
  { signal, mostMs, isOpen }: Cancelable,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | 'canceled' | 'late'> {
  const canceled = new AbortController()
  const late = AbortSignal.timeout(mostMs)
  const look = setInterval(() => {
    void isOpen().then(
      (open) => {
        if (!open) canceled.abort()
      },
      // The next look, or the write at the end, meets the same trouble.
      () => undefined,
    )
  }, LOOK_MS)
  try {
    return await work(AbortSignal.any([signal, late, canceled.signal]))
  } catch (error) {
    if (canceled.signal.aborted) return 'canceled'
    if (late.aborted && !signal.aborted) return 'late'
    throw error
  } finally {
    clearInterval(look)
  }
}

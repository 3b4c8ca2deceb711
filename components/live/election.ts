// When the first tab closes, the browser gives the lock to another.

export interface LockPort {
  request(
    name: string,
    options: { readonly signal: AbortSignal },
    held: () => Promise<void>,
  ): Promise<unknown>
}

/** Without locks (a page served over plain HTTP from another machine), every tab leads. Returns the function that resigns. */
export function requestLeadership(
  locks: LockPort | undefined,
  name: string,
  onLead: () => void,
): () => void {
  if (locks === undefined) {
    onLead()
    return () => undefined
  }
  const waiting = new AbortController()
  let resign = (): void => undefined
  const term = new Promise<void>((resolve) => {
    resign = resolve
  })
  locks
    .request(name, { signal: waiting.signal }, () => {
      onLead()
      return term
    })
    .catch((error: unknown) => {
      // Resigning before the lock is granted rejects the request. Any other error would leave the tabs without a leader.
      if (!waiting.signal.aborted) throw error
    })
  return () => {
    waiting.abort()
    resign()
  }
}

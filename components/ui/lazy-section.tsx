'use client'
// If the chunk cannot be fetched (no network, restarting server), the part shows an error and retries once the network is back.
import { type ComponentType, type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { ErrorState } from './states.tsx'

type State<Props> =
  | { readonly kind: 'absent' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'loaded'; readonly Part: ComponentType<Props> }

const ABSENT = { kind: 'absent' } as const
/** A retry shares chunks that are still being fetched and fails with them, so one retry may not be enough. */
const RETRIES = 5
const PAUSE_MS = 500

export interface LazyModule<Props> {
  /** Has no effect while loading or loaded; retries after a failure. */
  readonly fetch: () => void
  /** Retries after the network is back, several times, because requests from before may still fail. */
  readonly retry: () => void
  readonly state: () => State<Props>
  readonly watch: (watcher: () => void) => () => void
}

export function lazyModule<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyModule<Props> {
  let state: State<Props> = ABSENT
  let retriesLeft = 0
  const watchers = new Set<() => void>()
  const show = (next: State<Props>): void => {
    state = next
    for (const watcher of watchers) watcher()
  }
  const fetch = (): void => {
    if (state.kind === 'loading' || state.kind === 'loaded') return
    show({ kind: 'loading' })
    load().then(
      (Part) => show({ kind: 'loaded', Part }),
      () => {
        show({ kind: 'failed' })
        if (retriesLeft === 0) return
        retriesLeft -= 1
        setTimeout(fetch, PAUSE_MS)
      },
    )
  }
  return {
    fetch,
    retry: () => {
      retriesLeft = RETRIES
      fetch()
    },
    state: () => state,
    watch: (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
}

export function useLazyModule<Props>(program: LazyModule<Props>, isWanted: boolean) {
  const state = useSyncExternalStore<State<Props>>(program.watch, program.state, () => ABSENT)
  const isMissing = state.kind === 'failed' || state.kind === 'loading'
  useEffect(() => {
    if (isWanted) program.fetch()
  }, [program, isWanted])
  useEffect(() => {
    if (!isMissing) return
    window.addEventListener('online', program.retry)
    return () => window.removeEventListener('online', program.retry)
  }, [program, isMissing])
  return state
}

/** Renders in the browser only; `waiting` is shown on the server and until the chunk has loaded. */
export function lazySection<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: ReactNode,
): ComponentType<Props> {
  const program = lazyModule(load)
  return function LazySection(props: Props) {
    const state = useLazyModule(program, true)
    if (state.kind === 'loaded') return <state.Part {...props} />
    return state.kind === 'failed' ? <LoadFailure onRetry={program.fetch} /> : waiting
  }
}

export function LoadFailure({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <ErrorState
      what="This part of the page could not be loaded."
      why="The server did not answer. The rest of the page is not affected."
      onRetry={onRetry}
    />
  )
}

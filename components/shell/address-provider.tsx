// Next applies writes to the address in transitions, and each transition restores its starting address while it commits:
// on a busy machine, text typed meanwhile would be lost. Until Next has applied every write, the address is the last written one.
'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import {
  type unstable_AdapterInterface as Adapter,
  unstable_createAdapterProvider as createAdapterProvider,
  renderQueryString,
} from 'nuqs/adapters/custom'
import { NuqsAdapter } from 'nuqs/adapters/next/app'
import {
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  useTransition,
} from 'react'

interface Written {
  readonly pathname: string
  readonly query: string
}

/** Null: Next has applied every write. */
let written: Written | null = null
let inTransition: (write: () => void) => void = (write) => write()
const readers = new Set<() => void>()

function keep(now: Written | null): void {
  if (written === now) return
  written = now
  for (const read of readers) read()
}

function subscribe(read: () => void): () => void {
  readers.add(read)
  return () => void readers.delete(read)
}

function useAddress(): Adapter {
  const taken = useSearchParams()
  const pathname = usePathname()
  const writtenHere = () => (written?.pathname === pathname ? written.query : null)
  const query = useSyncExternalStore(subscribe, writtenHere, () => null)
  const searchParams = useMemo(() => new URLSearchParams(query ?? taken), [query, taken])
  const updateUrl = useCallback<Adapter['updateUrl']>(
    (search, { history: way, scroll }) => {
      const next = renderQueryString(search)
      keep({ pathname, query: next })
      inTransition(() => {
        const url = `${location.origin}${location.pathname}${next}${location.hash}`
        if (way === 'push') history.pushState(null, '', url)
        else history.replaceState(null, '', url)
      })
      if (scroll) window.scrollTo(0, 0)
    },
    [pathname],
  )
  const getSearchParamsSnapshot = () => new URLSearchParams(writtenHere() ?? location.search)
  return { searchParams, pathname, updateUrl, getSearchParamsSnapshot, rateLimitFactor: 3 }
}

const WrittenAddress = createAdapterProvider(useAddress)

/** Resets `written` once Next has applied every write, or when the user moves through the history. */
function Settling() {
  const [isTaking, startTransition] = useTransition()
  useEffect(() => {
    inTransition = startTransition
    const forget = () => keep(null)
    window.addEventListener('popstate', forget)
    return () => window.removeEventListener('popstate', forget)
  }, [])
  const drawn = useSyncExternalStore(
    subscribe,
    () => written,
    () => null,
  )
  useEffect(() => {
    // A write after this render must not be dropped: effects run late on a busy machine.
    if (!isTaking && written === drawn) keep(null)
  }, [isTaking, drawn])
  return null
}

/** nuqs may lag behind the last key, so the typed text is shown until the address has caught up. */
export function useTyped(
  address: string,
  write: (text: string) => Promise<unknown>,
): readonly [text: string, type: (text: string) => void] {
  const [typed, setTyped] = useState<string | null>(null)
  const [writing, setWriting] = useState(0)
  const isTaken = useSyncExternalStore(
    subscribe,
    () => written === null,
    () => true,
  )
  useEffect(() => {
    // A key pressed after this render must not be dropped: effects run late on a busy machine.
    if (writing === 0 && isTaken) setTyped((now) => (now === typed ? null : now))
  }, [writing, isTaken, typed])
  const type = (text: string): void => {
    setTyped(text)
    setWriting((count) => count + 1)
    void write(text).finally(() => setWriting((count) => count - 1))
  }
  return [typed ?? address, type]
}

export function AddressProvider({ children }: { readonly children: ReactNode }) {
  return (
    <NuqsAdapter>
      <WrittenAddress>
        <Settling />
        {children}
      </WrittenAddress>
    </NuqsAdapter>
  )
}

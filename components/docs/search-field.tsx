'use client'
import { Search } from 'lucide-react'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useTransition } from 'react'

const RESULTS = '/docs/search'

/** Results are a page of their own, so they have an address and go through the server. */
export function SearchField() {
  const router = useRouter()
  const isOpen = usePathname() === RESULTS
  const question = useSearchParams().get('q') ?? ''
  const [, startTransition] = useTransition()
  const search = (typed: string) => {
    const address = `${RESULTS}?q=${encodeURIComponent(typed)}`
    startTransition(() => (isOpen ? router.replace(address) : router.push(address)))
  }
  return (
    <label className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-control border border-border-strong bg-surface px-2 focus-within:outline-2 focus-within:outline-focus sm:max-w-[360px]">
      <Search size={16} aria-hidden className="shrink-0 text-text-3" />
      <span className="sr-only">Search the documentation</span>
      <input
        type="search"
        placeholder="Search"
        defaultValue={question}
        onChange={({ target }) => search(target.value)}
        className="min-w-0 flex-1 bg-transparent outline-none"
      />
    </label>
  )
}

// The documentation, without login. The pages are files of docs/ and specs/.
import './docs.css'
import type { Metadata } from 'next'
import { type ReactNode, Suspense } from 'react'
import { SearchField } from '@/components/docs/search-field.tsx'
import { Link } from '@/components/ui/link.tsx'

export const metadata: Metadata = {
  title: { default: 'Documentation · Signalbox', template: '%s · Signalbox documentation' },
}

export default function DocsLayout({ children }: { readonly children: ReactNode }) {
  return (
    <>
      <a
        href="#main"
        className="sr-only z-60 rounded-control bg-accent px-3 py-1 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <header className="no-print sticky top-0 z-10 flex h-[56px] items-center gap-3 border-border border-b bg-surface px-4">
        <Link href="/docs" className="flex items-center gap-2 font-semibold">
          <span aria-hidden className="flex flex-col gap-0.5 rounded-badge bg-accent p-1">
            <span className="size-1.5 rounded-full bg-deny-mark" />
            <span className="size-1.5 rounded-full bg-allow-mark" />
          </span>
          Signalbox <span className="hidden font-normal text-text-2 sm:inline">documentation</span>
        </Link>
        <Suspense>
          <SearchField />
        </Suspense>
        <Link href="/" className="ml-auto text-link">
          Console
        </Link>
      </header>
      {children}
    </>
  )
}

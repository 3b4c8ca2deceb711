// The documentation, without login. The pages are files of docs/ and specs/.
import { BrandMark } from '@/components/shell/brand-mark.tsx'
import { SkipLink } from '@/components/ui/skip-link.tsx'
import './docs.css'
import type { Metadata } from 'next'
import { type ReactNode, Suspense } from 'react'
import { SearchField } from '@/components/docs/search-field.tsx'
import { Link } from '@/components/ui/link.tsx'

export const metadata: Metadata = {
  title: { default: 'Documentation', template: '%s · Signalbox documentation' },
}

export default function DocsLayout({ children }: { readonly children: ReactNode }) {
  return (
    <>
      <SkipLink />
      <header className="no-print sticky top-0 z-10 flex h-[56px] items-center gap-3 border-border border-b bg-surface px-4">
        <Link href="/docs" className="flex items-center gap-2 font-semibold">
          <BrandMark />
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

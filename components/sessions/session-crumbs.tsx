import type { ReactNode } from 'react'
import { shortId } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'

/** `children`: part of the session that the page shows. */
export function SessionCrumbs({
  id,
  children,
}: {
  readonly id: string
  readonly children: ReactNode
}) {
  return (
    <nav aria-label="Breadcrumb">
      <Link href="/sessions" className="text-link hover:underline">
        Sessions
      </Link>
      {' › '}
      <Link className="font-mono text-link text-mono" href={`/sessions/${id}`}>
        {shortId(id)}
      </Link>
      {' › '}
      {children}
    </nav>
  )
}

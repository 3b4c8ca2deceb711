'use client'

import { ReleaseStanding } from '@/components/releases/release-standing.tsx'
import { useLinkTo } from '@/components/shell/environment-switcher.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { Link } from '@/components/ui/link.tsx'
import { Ago } from '@/components/ui/time.tsx'
import type { ListedRelease } from '@/server/releases/release-list.sql.ts'

export function Releases({ releases }: { readonly releases: readonly ListedRelease[] }) {
  const linkTo = useLinkTo()
  return (
    <Card className="min-w-0">
      <CardHeader
        title="Releases"
        aside="24 h"
        actions={
          <Link href={linkTo('/releases')} className="text-link">
            All releases
          </Link>
        }
      />
      {releases.length === 0 ? (
        <p className="px-3 py-3 text-text-2">
          Nothing was released in 24 h. A release appears here when a version is published, promoted
          or rolled back.
        </p>
      ) : (
        <ul>
          {releases.map((release) => (
            <li key={release.id} className="border-border border-b last:border-b-0">
              <ReleaseLine release={release} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function ReleaseLine({ release }: { readonly release: ListedRelease }) {
  return (
    <Link
      data-row
      href={`/releases/${release.id}`}
      className="flex min-h-12 items-center gap-2.5 px-3 py-1 focus:bg-row-selected hover:bg-row-hover"
    >
      <span className="w-10 shrink-0 rounded-badge border border-border bg-surface-2 text-center font-mono text-mono">
        v{release.version}
      </span>
      <span className="min-w-0 flex-1 leading-[17px]">
        <span className="flex items-baseline justify-between gap-2">
          <span className="inline-flex min-w-0 items-baseline gap-1">
            <span className="truncate font-medium" title={release.prompt}>
              {release.prompt}
            </span>
            <DemoTag ns={release.ns} />
          </span>
          <span className="shrink-0 text-small text-text-2">
            <Ago at={release.createdAt} /> · {release.author ?? 'A former member'}
          </span>
        </span>
        <span className="flex items-baseline gap-1.5 text-small">
          <span className="shrink-0 text-text-2">{release.environment}</span>
          <ReleaseStanding release={release} isBrief />
        </span>
      </span>
    </Link>
  )
}

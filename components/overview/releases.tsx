// Those of the last day are also marked on the time axis of the figures above, to match changes in behavior with changes of rules.
'use client'

import type { inferRouterOutputs } from '@trpc/server'
import { configPath } from '@/components/paths/config-path.ts'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { Ago, useNow } from '@/components/ui/time.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'

type Release = inferRouterOutputs<AppRouter>['overview']['releases'][number]

const VERBS = {
  publish: 'published to',
  promote: 'promoted to',
  rollback: 'rolled back in',
} as const

const DAY_MS = 86_400_000

/** Share of the day: releases closer than this share one mark. */
const MARK_WIDTH = 0.05

interface Mark {
  readonly place: number
  /** Oldest first. */
  readonly releases: readonly Release[]
}

function placeReleaseMarks(releases: readonly Release[], now: number): readonly Mark[] {
  const today = releases.filter(({ at }) => at > now - DAY_MS).toSorted((a, b) => a.at - b.at)
  const marks: Mark[] = []
  for (const release of today) {
    const place = Math.min(1, Math.max(0, 1 - (now - release.at) / DAY_MS))
    const last = marks.at(-1)
    if (last !== undefined && place - last.place < MARK_WIDTH) {
      marks[marks.length - 1] = { ...last, releases: [...last.releases, release] }
    } else marks.push({ place, releases: [release] })
  }
  return marks
}

function formatRelease({ ns, key, version }: Release): string {
  return `${ns}/${key}@v${version}`
}

function Strip({ releases }: { readonly releases: readonly Release[] }) {
  const now = useNow()
  if (now === null) return <div className="h-8" />
  return (
    <div className="flex items-center gap-2 px-3 pt-2 text-small text-text-3">
      <span className="shrink-0">24 h ago</span>
      <div className="relative h-7 min-w-0 flex-1">
        <div className="absolute inset-x-0 top-1/2 h-px bg-border-strong" />
        {placeReleaseMarks(releases, now).map(({ place, releases: near }) => (
          <MarkLink key={near[0]?.id} place={place} releases={near} />
        ))}
      </div>
      <span className="shrink-0">now</span>
    </div>
  )
}

function MarkLink({ place, releases }: Mark) {
  const newest = releases.at(-1)
  if (newest === undefined) return null
  const words = releases.map((one) => `${formatRelease(one)} ${VERBS[one.kind]} ${one.environment}`)
  return (
    <Link
      href={`/releases/${newest.id}`}
      title={words.join('\n')}
      className="absolute top-0.5 whitespace-nowrap rounded-badge border border-border-strong bg-surface px-1.5 text-text-2 hover:bg-row-hover"
      // Keeps the mark inside the axis at both ends.
      style={{ left: `${place * 100}%`, translate: `${-place * 100}% 0` }}
    >
      <span className="sr-only">{words.join(', ')}</span>
      <span aria-hidden>
        v{newest.version}
        {releases.length === 1 ? '' : ` +${releases.length - 1}`}
      </span>
    </Link>
  )
}

export function Releases({ releases }: { readonly releases: readonly Release[] }) {
  if (releases.length === 0) return null
  return (
    <Card>
      <CardHeader title="Releases" />
      <Strip releases={releases} />
      <ul>
        {releases.slice(0, 5).map((release) => (
          <li
            key={release.id}
            className="flex min-h-8 items-center gap-2 border-border border-b px-3 last:border-b-0 focus-within:bg-row-selected"
          >
            <Link
              data-row
              href={`${configPath(release.ns, release.key)}/versions`}
              className="min-w-0 flex-1 truncate"
            >
              <code className="font-medium">{formatRelease(release)}</code> {VERBS[release.kind]}{' '}
              {release.environment}
              {release.note === null ? '' : ` · “${release.note}”`}
            </Link>
            <span className="text-small text-text-3">
              <Ago at={release.at} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

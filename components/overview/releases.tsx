// The last releases, so that a change in behaviour can be lined up with a change of rules.
import type { inferRouterOutputs } from '@trpc/server'
import Link from 'next/link'
import type { AppRouter } from '@/server/trpc/root.ts'
import { Card, CardHeader } from '../ui/card.tsx'
import { Ago } from '../ui/time.tsx'

type Release = inferRouterOutputs<AppRouter>['overview']['get']['releases'][number]

const VERBS = {
  publish: 'published to',
  promote: 'promoted to',
  rollback: 'rolled back in',
} as const

export function Releases({ releases }: { readonly releases: readonly Release[] }) {
  if (releases.length === 0) return null
  return (
    <Card>
      <CardHeader title="Releases" />
      <ul>
        {releases.map((release) => (
          <li
            key={release.id}
            className="flex min-h-8 items-center gap-2 border-border border-b px-3 last:border-b-0"
          >
            <Link
              href={`/configs/${release.ns.replaceAll('/', '~')}/${release.key}/versions`}
              className="min-w-0 flex-1 truncate"
            >
              <code className="font-medium">
                {release.ns}/{release.key}@v{release.version}
              </code>{' '}
              {VERBS[release.kind]} {release.environment}
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

import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { cookies } from 'next/headers'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { DISMISSED, FIRST_STEPS_COOKIE } from '@/components/overview/first-steps-cookie.ts'
import { Overview } from '@/components/overview/overview.tsx'
import { DAY_MS, MOST_RELEASES } from '@/components/overview/shown-day.ts'

export const metadata: Metadata = { title: 'Overview' }

export default async function OverviewPage({
  searchParams,
}: {
  readonly searchParams: Promise<{ env?: string }>
}) {
  const { env } = await searchParams
  const input = typeof env === 'string' ? { environment: env } : {}
  const client = getQueryClient()
  const areStepsDismissed = (await cookies()).get(FIRST_STEPS_COOKIE)?.value === DISMISSED
  const { attention, figures, steps } = trpcServer.overview
  const openedAt = Date.now()
  const { commandPackage } = trpcServer.runtimes
  await Promise.all([
    client.prefetchQuery(attention.queryOptions(input)),
    client.prefetchQuery(figures.queryOptions(input)),
    client.prefetchQuery(
      trpcServer.releases.list.queryOptions({
        filter: { ...input, since: openedAt - DAY_MS },
        limit: MOST_RELEASES,
      }),
    ),
    ...(areStepsDismissed
      ? []
      : [
          client.prefetchQuery(steps.queryOptions()),
          client.prefetchQuery(commandPackage.queryOptions()),
        ]),
  ])
  return (
    <HydrationBoundary state={dehydratedState()}>
      <Overview areStepsDismissed={areStepsDismissed} openedAt={openedAt} />
    </HydrationBoundary>
  )
}

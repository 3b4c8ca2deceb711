import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { cookies, headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { Overview } from '@/components/overview/overview.tsx'
import { DAY_MS, MOST_RELEASES } from '@/components/overview/shown-day.ts'
import { DISMISSED, nameFirstStepsCookie } from '@/components/shell/first-steps-cookie.ts'

export const metadata: Metadata = { title: 'Overview' }

interface Query {
  readonly env?: string
  readonly project?: string
}

export default async function OverviewPage({
  searchParams,
}: {
  readonly searchParams: Promise<Query>
}) {
  const query = await searchParams
  const { env } = query
  if (await isFirstVisit()) redirect(startPath(query))
  const input = typeof env === 'string' ? { environment: env } : {}
  const client = getQueryClient()
  const { attention, figures } = trpcServer.overview
  const openedAt = Date.now()
  await Promise.all([
    client.prefetchQuery(attention.queryOptions(input)),
    client.prefetchQuery(figures.queryOptions(input)),
    client.prefetchQuery(
      trpcServer.releases.list.queryOptions({
        filter: { ...input, since: openedAt - DAY_MS },
        limit: MOST_RELEASES,
      }),
    ),
  ])
  return (
    <HydrationBoundary state={dehydratedState()}>
      <Overview openedAt={openedAt} />
    </HydrationBoundary>
  )
}

/**
 * The browser opened this address itself. A link of the console, such as that of the rail, asks for no HTML and leads to the Overview. Steps
 * that could not be loaded do not hide the Overview.
 */
async function isFirstVisit(): Promise<boolean> {
  const isOpened = (await headers()).get('accept')?.includes('text/html') === true
  if (!isOpened) return false
  const client = getQueryClient()
  // The layout handles a failure, such as an address without a project.
  const project = await client
    .fetchQuery(trpcServer.projects.current.queryOptions())
    .catch((): null => null)
  if (project === null) return false
  const cookie = (await cookies()).get(nameFirstStepsCookie(project.slug))?.value
  if (cookie === DISMISSED) return false
  const steps = trpcServer.overview.steps.queryOptions()
  await client.prefetchQuery(steps)
  return client.getQueryData(steps.queryKey)?.hasCalled === false
}

function startPath({ env, project }: Query) {
  const params = new URLSearchParams()
  if (typeof project === 'string') params.set('project', project)
  if (typeof env === 'string') params.set('env', env)
  return `/get-started?${params}` as const
}

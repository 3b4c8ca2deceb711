// Staged rollouts and shadow versions of one config.
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { CohortPage } from '@/components/releases/cohort-page.tsx'
import { dehydratedState, getQueryClient, trpcServer } from '@/server/trpc/prefetch.ts'
import { type ConfigParams, prefetchConfig, promptOf } from '../config-params.ts'

export async function generateMetadata(props: ConfigParams): Promise<Metadata> {
  const { ns, key } = await promptOf(props)
  return { title: `Cohorts of ${ns}/${key}` }
}

export default async function Page(props: ConfigParams) {
  const prompt = await prefetchConfig(props)
  await getQueryClient().prefetchQuery(trpcServer.cohorts.of.queryOptions(prompt))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <CohortPage ns={prompt.ns} key_={prompt.key} />
    </HydrationBoundary>
  )
}

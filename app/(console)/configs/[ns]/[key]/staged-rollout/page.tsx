import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { StagedRolloutPage } from '@/components/pages/staged-rollout-page.tsx'
import { type ConfigParams, prefetchConfig, readPrompt } from '../config-params.ts'

export async function generateMetadata(props: ConfigParams): Promise<Metadata> {
  const { ns, key } = await readPrompt(props)
  return { title: `Staged rollout of ${ns}/${key}` }
}

export default async function Page(props: ConfigParams) {
  const prompt = await prefetchConfig(props)
  await getQueryClient().prefetchQuery(trpcServer.stagedRollouts.of.queryOptions(prompt))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <StagedRolloutPage ns={prompt.ns} key_={prompt.key} />
    </HydrationBoundary>
  )
}

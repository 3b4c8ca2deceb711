import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { GetStartedPage } from '@/components/pages/get-started-page.tsx'
import { FIRST_PROMPT, parseConfigName } from '@/components/paths/config-name.ts'

export const metadata: Metadata = { title: 'Get started' }

export default async function Page({
  searchParams,
}: {
  readonly searchParams: Promise<{ readonly prompt?: string | readonly string[] }>
}) {
  const { prompt: chosen } = await searchParams
  const client = getQueryClient()
  const { overview, runtimes, configs, demo } = trpcServer
  const steps = overview.steps.queryOptions()
  await Promise.all([
    client.prefetchQuery(steps),
    client.prefetchQuery(runtimes.commandPackage.queryOptions()),
    client.prefetchQuery(runtimes.environments.queryOptions()),
    client.prefetchQuery(configs.templates.queryOptions()),
    client.prefetchQuery(demo.stories.queryOptions()),
  ])
  // Of the same prompt as the wizard: a field that came later would move what is below.
  const prompt =
    typeof chosen === 'string'
      ? parseConfigName(chosen)
      : (client.getQueryData(steps.queryKey)?.prompt ?? FIRST_PROMPT)
  if (prompt !== null) await client.prefetchQuery(overview.steps.queryOptions({ prompt }))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <GetStartedPage />
    </HydrationBoundary>
  )
}

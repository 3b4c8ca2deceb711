import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, fetchSubject, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { SuggestedPage } from '@/components/pages/suggested-page.tsx'
import { findShownPlace } from '@/components/suggestions/shown-place.ts'
import { type ConfigParams, readPrompt } from '../config-params.ts'

export async function generateMetadata(props: ConfigParams): Promise<Metadata> {
  const { ns, key } = await readPrompt(props)
  return { title: `Suggested rules for ${ns}/${key}` }
}

export default async function Page(
  props: ConfigParams & { readonly searchParams: Promise<{ readonly env?: unknown }> },
) {
  const [prompt, { env }] = await Promise.all([readPrompt(props), props.searchParams])
  const client = getQueryClient()
  const [config, environments] = await Promise.all([
    fetchSubject(trpcServer.configs.get.queryOptions(prompt)),
    client.fetchQuery(trpcServer.environments.list.queryOptions()),
  ])
  if (config !== undefined) {
    const chain = environments.map(({ name }) => name)
    const asked =
      typeof env === 'string'
        ? env
        : await client.fetchQuery(trpcServer.suggestions.environment.queryOptions(prompt))
    const place = findShownPlace(config, chain, asked)
    if (place !== null) await client.prefetchQuery(trpcServer.suggestions.find.queryOptions(place))
  }
  return (
    <HydrationBoundary state={dehydratedState()}>
      <SuggestedPage ns={prompt.ns} key_={prompt.key} />
    </HydrationBoundary>
  )
}

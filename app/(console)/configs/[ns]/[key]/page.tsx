import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, fetchSubject, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { ConfigPage } from '@/components/pages/config-page.tsx'
import { liveIn, shownEnvironment } from '@/components/paths/live-in.ts'
import { type ConfigParams, readPrompt } from './config-params.ts'

export async function generateMetadata(props: ConfigParams): Promise<Metadata> {
  const { ns, key } = await readPrompt(props)
  return { title: `${ns}/${key}` }
}

/** Prefetches the live versions and the rules in force, so that the content below does not shift. */
async function prefetchLive(prompt: { readonly ns: string; readonly key: string }, env: unknown) {
  const client = getQueryClient()
  const [config, environments] = await Promise.all([
    fetchSubject(trpcServer.configs.get.queryOptions(prompt)),
    client.fetchQuery(trpcServer.runtimes.environments.queryOptions()),
  ])
  if (config === undefined) return
  await Promise.all(
    config.pointers.map(({ releaseId }) =>
      client.prefetchQuery(trpcServer.releases.adoption.queryOptions({ releaseId })),
    ),
  )
  const chain = environments.map(({ name }) => name)
  const environment = shownEnvironment(config, chain, typeof env === 'string' ? env : null)
  const number = environment === null ? null : liveIn(config, environment)
  if (environment === null || number === null) return
  await Promise.all([
    client.prefetchQuery(trpcServer.configs.version.queryOptions({ ...prompt, number })),
    client.prefetchQuery(trpcServer.drafts.activity.queryOptions({ ...prompt, environment })),
  ])
}

export default async function Page(
  props: ConfigParams & { readonly searchParams: Promise<{ readonly env?: unknown }> },
) {
  const [prompt, { env }] = await Promise.all([readPrompt(props), props.searchParams])
  await prefetchLive(prompt, env)
  return (
    <HydrationBoundary state={dehydratedState()}>
      <ConfigPage ns={prompt.ns} key_={prompt.key} />
    </HydrationBoundary>
  )
}

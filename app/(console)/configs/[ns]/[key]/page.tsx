// One config.
import { promptFromPath } from '@signalbox/wire'
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { ConfigPage } from '@/components/configs/config-page.tsx'
import { dehydratedState, getQueryClient, trpcServer } from '@/server/trpc/prefetch.ts'

interface Props {
  readonly params: Promise<{ readonly ns: string; readonly key: string }>
}

async function promptOf({ params }: Props) {
  const { ns, key } = await params
  return promptFromPath(decodeURIComponent(ns), decodeURIComponent(key))
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { ns, key } = await promptOf(props)
  return { title: `${ns}/${key}` }
}

export default async function Page(props: Props) {
  const prompt = await promptOf(props)
  const queries = getQueryClient()
  // The frame reads the environments too, and may have them before this page hydrates: both renders must know them.
  await Promise.all([
    queries.prefetchQuery(trpcServer.configs.get.queryOptions(prompt)),
    queries.prefetchQuery(trpcServer.runtimes.environments.queryOptions()),
  ])
  return (
    <HydrationBoundary state={dehydratedState()}>
      <ConfigPage ns={prompt.ns} key_={prompt.key} />
    </HydrationBoundary>
  )
}

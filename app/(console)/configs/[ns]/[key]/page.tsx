// One config.
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { ConfigPage } from '@/components/configs/config-page.tsx'
import { dehydratedState } from '@/server/trpc/prefetch.ts'
import { type ConfigParams, prefetchConfig, promptOf } from './config-params.ts'

export async function generateMetadata(props: ConfigParams): Promise<Metadata> {
  const { ns, key } = await promptOf(props)
  return { title: `${ns}/${key}` }
}

export default async function Page(props: ConfigParams) {
  const prompt = await prefetchConfig(props)
  return (
    <HydrationBoundary state={dehydratedState()}>
      <ConfigPage ns={prompt.ns} key_={prompt.key} />
    </HydrationBoundary>
  )
}

import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState } from '@/app/prefetch.ts'
import { VersionsPage } from '@/components/pages/versions-page.tsx'
import { type ConfigParams, prefetchConfig, readPrompt } from '../config-params.ts'

export async function generateMetadata(props: ConfigParams): Promise<Metadata> {
  const { ns, key } = await readPrompt(props)
  return { title: `Versions of ${ns}/${key}` }
}

export default async function Page(props: ConfigParams) {
  const prompt = await prefetchConfig(props)
  return (
    <HydrationBoundary state={dehydratedState()}>
      <VersionsPage ns={prompt.ns} key_={prompt.key} />
    </HydrationBoundary>
  )
}

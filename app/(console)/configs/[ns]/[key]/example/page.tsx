import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState } from '@/app/prefetch.ts'
import { ExamplePage } from '@/components/pages/example-page.tsx'
import { type ConfigParams, prefetchConfig, readPrompt } from '../config-params.ts'

export async function generateMetadata(props: ConfigParams): Promise<Metadata> {
  const { ns, key } = await readPrompt(props)
  return { title: `Example session of ${ns}/${key}` }
}

export default async function Page(props: ConfigParams) {
  const { ns, key } = await prefetchConfig(props)
  return (
    <HydrationBoundary state={dehydratedState()}>
      <ExamplePage ns={ns} key_={key} />
    </HydrationBoundary>
  )
}

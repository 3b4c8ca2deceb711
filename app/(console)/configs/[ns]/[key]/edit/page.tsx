// The editor of one config.
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { EditorPage } from '@/components/editor/editor-page.tsx'
import { dehydratedState, subjectOf, trpcServer } from '@/server/trpc/prefetch.ts'
import { type ConfigParams, promptOf } from '../config-params.ts'

export async function generateMetadata(props: ConfigParams): Promise<Metadata> {
  const { ns, key } = await promptOf(props)
  return { title: `Edit ${ns}/${key}` }
}

export default async function Page(props: ConfigParams) {
  const prompt = await promptOf(props)
  await subjectOf(trpcServer.drafts.open.queryOptions(prompt))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <EditorPage ns={prompt.ns} key_={prompt.key} />
    </HydrationBoundary>
  )
}

import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, fetchSubject, trpcServer } from '@/app/prefetch.ts'
import { EditorPage } from '@/components/pages/editor-page.tsx'
import { type ConfigParams, readPrompt } from '../config-params.ts'

export async function generateMetadata(props: ConfigParams): Promise<Metadata> {
  const { ns, key } = await readPrompt(props)
  return { title: `Edit ${ns}/${key}` }
}

export default async function Page(props: ConfigParams) {
  const prompt = await readPrompt(props)
  await fetchSubject(trpcServer.drafts.open.queryOptions(prompt))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <EditorPage ns={prompt.ns} key_={prompt.key} />
    </HydrationBoundary>
  )
}

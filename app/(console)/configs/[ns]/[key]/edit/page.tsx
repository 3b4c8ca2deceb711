// The editor of one config.
import { promptFromPath } from '@signalbox/wire'
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { EditorPage } from '@/components/editor/editor-page.tsx'
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
  return { title: `Edit ${ns}/${key}` }
}

export default async function Page(props: Props) {
  const prompt = await promptOf(props)
  await getQueryClient().prefetchQuery(trpcServer.drafts.open.queryOptions(prompt))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <EditorPage ns={prompt.ns} key_={prompt.key} />
    </HydrationBoundary>
  )
}

import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, fetchSubject, trpcServer } from '@/app/prefetch.ts'
import { RuntimePage } from '@/components/pages/runtime-page.tsx'

interface Props {
  readonly params: Promise<{ readonly runtimeId: string }>
}

const fetchRuntime = (id: string) => fetchSubject(trpcServer.runtimes.get.queryOptions({ id }))

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const runtime = await fetchRuntime((await params).runtimeId)
  return { title: runtime === undefined ? 'Runtime' : `${runtime.name} · runtime` }
}

export default async function Page({ params }: Props) {
  const { runtimeId } = await params
  await fetchRuntime(runtimeId)
  return (
    <HydrationBoundary state={dehydratedState()}>
      <RuntimePage id={runtimeId} />
    </HydrationBoundary>
  )
}

// One release.
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { ReleasePage } from '@/components/releases/release-page.tsx'
import { dehydratedState, subjectOf, trpcServer } from '@/server/trpc/prefetch.ts'

interface Props {
  readonly params: Promise<{ readonly releaseId: string }>
}

const releaseOf = (releaseId: string) =>
  subjectOf(trpcServer.rollouts.get.queryOptions({ releaseId }))

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const release = await releaseOf((await params).releaseId)
  if (release === undefined) return { title: 'Release' }
  const { ns, key, version, environment } = release
  return { title: `${ns}/${key}@v${version} in ${environment} · release` }
}

export default async function Page({ params }: Props) {
  const { releaseId } = await params
  await releaseOf(releaseId)
  return (
    <HydrationBoundary state={dehydratedState()}>
      <ReleasePage releaseId={releaseId} />
    </HydrationBoundary>
  )
}

import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, fetchSubject, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { ReleasePage } from '@/components/pages/release-page.tsx'

interface Props {
  readonly params: Promise<{ readonly releaseId: string }>
}

const fetchRelease = (releaseId: string) =>
  fetchSubject(trpcServer.releases.get.queryOptions({ releaseId }))

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const release = await fetchRelease((await params).releaseId)
  if (release === undefined) return { title: 'Release' }
  const { ns, key, version, environment } = release
  return { title: `${ns}/${key}@v${version} in ${environment} · release` }
}

/** Prefetches what the cards show, so that the content below does not shift. */
async function prefetchCards(releaseId: string): Promise<void> {
  const client = getQueryClient()
  const adoption = client.prefetchQuery(trpcServer.releases.adoption.queryOptions({ releaseId }))
  const release = await fetchRelease(releaseId)
  if (release === undefined) return
  const { ns, key } = release
  await Promise.all([
    adoption,
    client.prefetchQuery(trpcServer.stagedRollouts.of.queryOptions({ ns, key })),
    client.prefetchQuery(trpcServer.configs.get.queryOptions({ ns, key })),
  ])
}

export default async function Page({ params }: Props) {
  const { releaseId } = await params
  await prefetchCards(releaseId)
  return (
    <HydrationBoundary state={dehydratedState()}>
      <ReleasePage releaseId={releaseId} />
    </HydrationBoundary>
  )
}

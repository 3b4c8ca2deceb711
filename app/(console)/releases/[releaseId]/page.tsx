import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, fetchSubject, trpcServer } from '@/app/prefetch.ts'
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

export default async function Page({ params }: Props) {
  const { releaseId } = await params
  await fetchRelease(releaseId)
  return (
    <HydrationBoundary state={dehydratedState()}>
      <ReleasePage releaseId={releaseId} />
    </HydrationBoundary>
  )
}

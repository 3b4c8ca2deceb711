import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { SearchPage } from '@/components/pages/search-page.tsx'
import { placePath } from '@/components/search/search-href.ts'
import type { SearchParams } from '../open-view.ts'

export const metadata: Metadata = { title: 'Search' }

const LONGEST = 200

export default async function Page({ searchParams }: { readonly searchParams: SearchParams }) {
  const { q } = await searchParams
  const text = typeof q === 'string' ? q.trim() : ''
  if (text !== '' && text.length <= LONGEST) {
    const { place } = await getQueryClient().fetchQuery(
      trpcServer.search.find.queryOptions({ q: text }),
    )
    if (place !== null) redirect(placePath(place) as '/search')
  }
  return (
    <HydrationBoundary state={dehydratedState()}>
      <SearchPage />
    </HydrationBoundary>
  )
}

import type { Metadata } from 'next'
import { SearchResults } from '@/components/docs/search-results.tsx'
import { findDocsHits } from '@/server/http/docs.ts'

export const metadata: Metadata = { title: 'Search' }

export default async function SearchPage({
  searchParams,
}: {
  readonly searchParams: Promise<{ readonly q?: string | readonly string[] }>
}) {
  const { q } = await searchParams
  const question = typeof q === 'string' ? q : ''
  const { hits, navigation } = await findDocsHits(question)
  return <SearchResults question={question} hits={hits} navigation={navigation} />
}

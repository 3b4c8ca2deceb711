import type { Metadata } from 'next'
import { StopsPage } from '@/components/pages/stops-page.tsx'
import { openView, type SearchParams } from '../open-view.ts'

export const metadata: Metadata = { title: 'Stops' }

export default async function Page({ searchParams }: { readonly searchParams: SearchParams }) {
  await openView('stops', searchParams)
  return <StopsPage openedAt={Date.now()} />
}

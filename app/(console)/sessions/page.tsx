import type { Metadata } from 'next'
import { SessionsPage } from '@/components/pages/sessions-page.tsx'
import { openView, type SearchParams } from '../open-view.ts'

export const metadata: Metadata = { title: 'Sessions' }

export default async function Page({ searchParams }: { readonly searchParams: SearchParams }) {
  await openView('sessions', searchParams)
  return <SessionsPage openedAt={Date.now()} />
}

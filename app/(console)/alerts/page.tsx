import type { Metadata } from 'next'
import { AlertsPage } from '@/components/pages/alerts-page.tsx'
import { openView, type SearchParams } from '../open-view.ts'

export const metadata: Metadata = { title: 'Alerts' }

export default async function Page({ searchParams }: { readonly searchParams: SearchParams }) {
  await openView('alerts', searchParams)
  return <AlertsPage openedAt={Date.now()} />
}

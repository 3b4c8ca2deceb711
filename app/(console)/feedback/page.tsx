import type { Metadata } from 'next'
import { DeliveriesPage } from '@/components/pages/deliveries-page.tsx'
import { openView, type SearchParams } from '../open-view.ts'

export const metadata: Metadata = { title: 'Feedback delivered' }

export default async function Page({ searchParams }: { readonly searchParams: SearchParams }) {
  await openView('feedback', searchParams)
  return <DeliveriesPage openedAt={Date.now()} />
}

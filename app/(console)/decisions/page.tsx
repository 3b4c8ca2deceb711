import type { Metadata } from 'next'
import { DenialsPage } from '@/components/pages/denials-page.tsx'
import { openView, type SearchParams } from '../open-view.ts'

export const metadata: Metadata = { title: 'Denied calls' }

export default async function Page({ searchParams }: { readonly searchParams: SearchParams }) {
  await openView('decisions', searchParams)
  return <DenialsPage openedAt={Date.now()} />
}

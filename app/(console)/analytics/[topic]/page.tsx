import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { parseTopic } from '@/components/analytics/topics.ts'
import { AnalyticsPage } from '@/components/pages/analytics-page.tsx'
import { openView, type SearchParams } from '../../open-view.ts'

export const metadata: Metadata = { title: 'Analytics' }

export default async function Page({
  params,
  searchParams,
}: {
  readonly params: Promise<{ topic: string }>
  readonly searchParams: SearchParams
}) {
  const topic = parseTopic((await params).topic)
  if (topic === null) notFound()
  await openView(`analytics/${topic}`, searchParams)
  return <AnalyticsPage topic={topic} />
}

// Analytics: are the guardrails helping, and which rule needs changing?
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { AnalyticsPage } from '@/components/analytics/analytics-page.tsx'
import { topicOf } from '@/components/analytics/topics.ts'
import { openView, type SearchParams } from '../../open-view.ts'

export const metadata: Metadata = { title: 'Analytics' }

export default async function Page({
  params,
  searchParams,
}: {
  readonly params: Promise<{ topic: string }>
  readonly searchParams: SearchParams
}) {
  const topic = topicOf((await params).topic)
  if (topic === null) notFound()
  await openView(`analytics/${topic}`, searchParams)
  return <AnalyticsPage topic={topic} />
}

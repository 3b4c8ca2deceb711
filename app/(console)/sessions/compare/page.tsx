import type { Metadata } from 'next'
import { ComparePage } from '@/components/pages/compare-page.tsx'

export const metadata: Metadata = { title: 'Compare sessions' }

export default function Page() {
  return <ComparePage />
}

import type { Metadata } from 'next'
import { RedactionPage } from '@/components/pages/redaction-page.tsx'

export const metadata: Metadata = { title: 'Settings · redaction' }

export default function Page() {
  return <RedactionPage />
}

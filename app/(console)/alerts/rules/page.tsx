import type { Metadata } from 'next'
import { AlertRulesPage } from '@/components/pages/rules-page.tsx'

export const metadata: Metadata = { title: 'Alert rules' }

export default function Page() {
  return <AlertRulesPage />
}

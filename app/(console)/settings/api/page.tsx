import type { Metadata } from 'next'
import { ApiPage } from '@/components/pages/api-page.tsx'
import { shownRoutes } from '@/server/http/api-page.ts'

export const metadata: Metadata = { title: 'Settings · API' }

export default function ApiDocumentation() {
  return <ApiPage routes={shownRoutes()} />
}

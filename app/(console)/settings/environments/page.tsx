import type { Metadata } from 'next'
import { Environments } from '@/components/environments/environments.tsx'

export const metadata: Metadata = { title: 'Settings · environments' }

export default function EnvironmentsPage() {
  return <Environments />
}

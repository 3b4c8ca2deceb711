// Settings: users.
import type { Metadata } from 'next'
import { Users } from '@/components/settings/users.tsx'

export const metadata: Metadata = { title: 'Settings · users' }

export default function UsersPage() {
  return <Users />
}

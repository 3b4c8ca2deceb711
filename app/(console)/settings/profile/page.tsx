import type { Metadata } from 'next'
import { Profile } from '@/components/people/profile.tsx'

export const metadata: Metadata = { title: 'Settings · profile' }

export default function ProfilePage() {
  return <Profile />
}

// Settings: profile.
import type { Metadata } from 'next'
import { Profile } from '@/components/settings/profile.tsx'

export const metadata: Metadata = { title: 'Settings · profile' }

export default function ProfilePage() {
  return <Profile />
}

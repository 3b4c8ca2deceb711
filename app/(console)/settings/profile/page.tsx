import type { Metadata } from 'next'
import { Profile } from '@/components/people/profile.tsx'

export const metadata: Metadata = { title: 'Settings · profile' }

export default async function ProfilePage({
  searchParams,
}: {
  readonly searchParams: Promise<{ error?: string | string[]; provider?: string | string[] }>
}) {
  const { error, provider } = await searchParams
  return <Profile refusal={{ code: String(error ?? ''), provider: String(provider ?? '') }} />
}

import type { Metadata } from 'next'
import { NewPasswordForm, ResetRequestForm } from '@/components/people/reset-forms.tsx'
import { EntryCard } from '@/components/shell/entry-card.tsx'

export const metadata: Metadata = { title: 'New password' }

export default async function ResetPage({
  searchParams,
}: {
  readonly searchParams: Promise<{ token?: string }>
}) {
  const { token } = await searchParams
  return (
    <EntryCard title="New password">
      {typeof token === 'string' && token !== '' ? (
        <NewPasswordForm token={token} />
      ) : (
        <ResetRequestForm />
      )}
    </EntryCard>
  )
}

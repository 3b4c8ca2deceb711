import type { Metadata } from 'next'
import { getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { NewPasswordForm, ResetRequestForm } from '@/components/people/reset-forms.tsx'
import { EntryCard } from '@/components/shell/entry-card.tsx'

export const metadata: Metadata = { title: 'New password' }

export default async function ResetPage({
  searchParams,
}: {
  readonly searchParams: Promise<{ token?: string }>
}) {
  const [{ passwordReset }, { token }] = await Promise.all([
    getQueryClient().fetchQuery(trpcServer.account.ways.queryOptions()),
    searchParams,
  ])
  return (
    <EntryCard title="New password">
      {typeof token === 'string' && token !== '' ? (
        <NewPasswordForm token={token} />
      ) : passwordReset ? (
        <ResetRequestForm />
      ) : (
        <p className="text-text-2">
          This server has no mail server. Ask an admin for a new password.
        </p>
      )}
    </EntryCard>
  )
}

import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { SetupForm } from '@/components/people/setup-form.tsx'
import { EntryCard } from '@/components/shell/entry-card.tsx'

export const metadata: Metadata = { title: 'Set up' }

export default async function SetupPage({
  searchParams,
}: {
  readonly searchParams: Promise<{ token?: string }>
}) {
  const { open } = await getQueryClient().fetchQuery(trpcServer.members.setupState.queryOptions())
  if (!open) redirect('/login?error=set_up')
  const { token } = await searchParams
  return (
    <EntryCard title="Create the first administrator">
      {typeof token === 'string' && token !== '' ? (
        <SetupForm token={token} />
      ) : (
        <p className="text-text-2">
          The link is incomplete. Use the whole line that <code>npm start</code> printed.
        </p>
      )}
    </EntryCard>
  )
}

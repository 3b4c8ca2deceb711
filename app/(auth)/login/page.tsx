// Login; while nobody exists it explains where the first-run link is.
import type { Metadata } from 'next'
import { EntryCard } from '@/components/shell/entry-card.tsx'
import { LoginForm } from '@/components/shell/login-form.tsx'
import { getQueryClient, trpcServer } from '@/server/trpc/prefetch.ts'

export const metadata: Metadata = { title: 'Sign in' }

export default async function LoginPage() {
  const { open } = await getQueryClient().fetchQuery(trpcServer.members.setupState.queryOptions())
  if (open) {
    return (
      <EntryCard title="Nobody is set up yet">
        <p className="text-text-2">
          Open the first-run link that <code>npm start</code> printed. It makes you the
          administrator.
        </p>
      </EntryCard>
    )
  }
  return (
    <EntryCard title="Sign in">
      <LoginForm />
    </EntryCard>
  )
}

import type { Metadata } from 'next'
import { getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { EntryCard } from '@/components/shell/entry-card.tsx'
import { LoginForm } from '@/components/shell/login-form.tsx'
import { nextPath } from '@/components/shell/next-path.ts'
import { refusalText } from '@/components/shell/sign-in-refusal.ts'

export const metadata: Metadata = { title: 'Sign in' }

export default async function LoginPage({
  searchParams,
}: {
  readonly searchParams: Promise<{ next?: string; error?: string; provider?: string }>
}) {
  const client = getQueryClient()
  const [{ open }, { providers, passwordReset }, { next, error, provider }] = await Promise.all([
    client.fetchQuery(trpcServer.members.setupState.queryOptions()),
    client.fetchQuery(trpcServer.account.ways.queryOptions()),
    searchParams,
  ])
  if (open) {
    return (
      <EntryCard title="Set-up is not complete">
        <p className="text-text-2">
          Open the first-run link that <code>npm start</code> printed. It makes you the
          administrator.
        </p>
      </EntryCard>
    )
  }
  return (
    <EntryCard title="Sign in">
      <LoginForm
        next={nextPath(next)}
        providers={providers}
        hasPasswordReset={passwordReset}
        refusal={refusalText(
          typeof error === 'string' ? error : undefined,
          providers.find(({ id }) => id === provider)?.label,
        )}
      />
    </EntryCard>
  )
}

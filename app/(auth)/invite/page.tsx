import { TRPCError } from '@trpc/server'
import type { Metadata } from 'next'
import { getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { withPrefix } from '@/components/paths/prefix.ts'
import { InviteForm } from '@/components/people/invite-form.tsx'
import { EntryCard } from '@/components/shell/entry-card.tsx'

export const metadata: Metadata = { title: 'Invitation' }

export default async function InvitePage({
  searchParams,
}: {
  readonly searchParams: Promise<{ token?: string }>
}) {
  const { token } = await searchParams
  const found = await preview(typeof token === 'string' ? token : '')
  if (found.invitation === null) {
    return (
      <EntryCard title="This invitation does not work">
        <p className="text-text-2">{found.why}</p>
        <p className="mt-3">
          <a href={withPrefix('/login')} className="text-link underline">
            Sign in
          </a>
        </p>
      </EntryCard>
    )
  }
  const { providers } = await getQueryClient().fetchQuery(trpcServer.account.ways.queryOptions())
  return (
    <EntryCard title={`Join ${found.invitation.projectName}`}>
      <InviteForm token={found.token} invitation={found.invitation} providers={providers} />
    </EntryCard>
  )
}

async function preview(token: string) {
  try {
    const invitation = await getQueryClient().fetchQuery(
      trpcServer.invitations.preview.queryOptions({ token: token === '' ? '-' : token }),
    )
    return { invitation, token }
  } catch (error) {
    // Used, revoked, expired or unknown link, or too many attempts: the message is meant for the reader.
    if (error instanceof TRPCError && error.code !== 'INTERNAL_SERVER_ERROR') {
      return { invitation: null, why: error.message }
    }
    throw error
  }
}

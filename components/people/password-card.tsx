'use client'
import { useQueryClient } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { useState } from 'react'
import {
  Form,
  FormProblem,
  RefusedInput,
  Submit,
  useServerForm,
} from '@/components/kit/form/form.tsx'
import { withPrefix } from '@/components/paths/prefix.ts'
import { refusalText } from '@/components/shell/sign-in-refusal.ts'
import { startSingleSignOn } from '@/components/shell/single-sign-on-button.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'

type Account = inferRouterOutputs<AppRouter>['account']['get']

/** From the address to which the provider sends a user back. Empty: none. */
export interface Refusal {
  readonly code: string
  readonly provider: string
}

export function PasswordCard({
  account,
  refusal: { code, provider },
}: {
  readonly account: Account
  readonly refusal: Refusal
}) {
  const label = account.providers.find(({ id }) => id === provider)?.label
  return (
    <Card>
      <CardHeader title="Sign-in" aside={`${account.name}, ${account.email}`} />
      <div className="flex flex-col gap-4 p-3">
        <ErrorLine>{refusalText(code, label)}</ErrorLine>
        {account.providers.map((one) => (
          <Connection key={one.id} provider={one} />
        ))}
        <PasswordPart account={account} />
      </div>
    </Card>
  )
}

function PasswordPart({ account }: { readonly account: Account }) {
  const { decidedBy, hasPassword, email } = account
  if (decidedBy !== null) {
    return (
      <p className="text-text-2">
        Your roles come from groups of {decidedBy}, so you sign in with {decidedBy} only.
      </p>
    )
  }
  if (hasPassword) return <PasswordForm email={email} />
  return (
    <p className="text-text-2">
      You sign in with single sign-on and have no password here. Change it at your identity
      provider.
    </p>
  )
}

function Connection({ provider }: { readonly provider: Account['providers'][number] }) {
  const [problem, setProblem] = useState<string>()
  const connect = async () => {
    const started = await startSingleSignOn('/link-social', provider, '/settings/profile')
    if ('url' in started) window.location.assign(started.url)
    else setProblem(started.problem)
  }
  const { label, isConnected, hasGroups } = provider
  if (isConnected) return <p>This account is connected to {label}.</p>
  return (
    <div className="flex flex-col items-start gap-1">
      <Button onClick={() => void connect()}>Connect {label}</Button>
      <p className="text-small text-text-3">
        It must have the same, verified email address.
        {hasGroups && ' From your next sign-in with it, its groups decide about your roles.'}
      </p>
      <ErrorLine className="text-small">{problem}</ErrorLine>
    </div>
  )
}

const BLANK = { currentPassword: '', newPassword: '', revokeOtherSessions: true }

/** Rejects with a RefusedInput. */
async function changePassword(body: typeof BLANK): Promise<void> {
  const answer = await fetch(withPrefix('/api/auth/change-password'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => null)
  if (answer === null) {
    throw new RefusedInput('The server cannot be reached. Try again in a moment.', 'newPassword')
  }
  if (answer.ok) return
  if (answer.status === 429) {
    throw new RefusedInput('Too many attempts. Wait a minute and try again.', 'currentPassword')
  }
  const { code }: { readonly code?: string } = await answer.json().catch(() => ({}))
  throw code === 'INVALID_PASSWORD'
    ? new RefusedInput('The password is incorrect.', 'currentPassword')
    : new RefusedInput(
        'The password was not changed. It needs 10 to 128 characters.',
        'newPassword',
      )
}

function PasswordForm({ email }: { readonly email: string }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const form = useServerForm({
    values: BLANK,
    toInput: (values) => values,
    send: async (input) => {
      await changePassword(input)
      form.reset()
      toast('Your password was changed.')
      void client.invalidateQueries({ queryKey: trpc.account.get.queryKey() })
    },
  })
  return (
    <Form form={form} className="flex max-w-md flex-col gap-3">
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <form.AppField name="currentPassword">
        {(field) => (
          <field.TextField
            label="Current password"
            type="password"
            autoComplete="current-password"
            required
          />
        )}
      </form.AppField>
      <form.AppField name="newPassword">
        {(field) => (
          <field.TextField
            label="New password"
            hint="At least 10 characters."
            type="password"
            autoComplete="new-password"
            minLength={10}
            maxLength={128}
            required
          />
        )}
      </form.AppField>
      <form.AppField name="revokeOtherSessions">
        {(field) => <field.CheckboxField>Sign out everywhere else</field.CheckboxField>}
      </form.AppField>
      <FormProblem />
      <div>
        <Submit>Change password</Submit>
      </div>
    </Form>
  )
}

'use client'
// How the person signs in: their password, and whether single sign-on is connected.
import { useQueryClient } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { type FormEvent, useState } from 'react'
import { withPrefix } from '@/components/paths/prefix.ts'
import { startSingleSignOn } from '@/components/shell/single-sign-on-button.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'

type Account = inferRouterOutputs<AppRouter>['account']['get']

export function PasswordCard({ account }: { readonly account: Account }) {
  return (
    <Card>
      <CardHeader title="Sign-in" aside={`${account.name}, ${account.email}`} />
      <div className="flex flex-col gap-4 p-3">
        {account.hasSingleSignOn && <Connection isConnected={account.isConnected} />}
        {account.hasPassword ? (
          <PasswordForm email={account.email} />
        ) : (
          <p className="text-text-2">
            You sign in by single sign-on and have no password here. Change it at your identity
            provider.
          </p>
        )}
      </div>
    </Card>
  )
}

function Connection({ isConnected }: { readonly isConnected: boolean }) {
  const [problem, setProblem] = useState<string>()
  const connect = async () => {
    const started = await startSingleSignOn('/link-social', '/settings/profile')
    if ('url' in started) window.location.assign(started.url)
    else setProblem(started.problem)
  }
  if (isConnected) return <p>Single sign-on is connected to this account.</p>
  return (
    <div className="flex flex-col items-start gap-1">
      <Button onClick={() => void connect()}>Connect single sign-on</Button>
      <p className="text-small text-text-3">
        Your identity provider must have the same, verified e-mail address.
      </p>
      <ErrorLine className="text-small">{problem}</ErrorLine>
    </div>
  )
}

const BLANK = { currentPassword: '', newPassword: '' }

/** Null when it worked; otherwise the field and what to tell the person. */
async function changePassword(
  body: typeof BLANK & { readonly revokeOtherSessions: boolean },
): Promise<{ readonly field: keyof typeof BLANK; readonly text: string } | null> {
  const answer = await fetch(withPrefix('/api/auth/change-password'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => null)
  if (answer === null) {
    return { field: 'newPassword', text: 'The server cannot be reached. Try again in a moment.' }
  }
  if (answer.ok) return null
  if (answer.status === 429) {
    return { field: 'currentPassword', text: 'Too many attempts. Wait a minute and try again.' }
  }
  const { code }: { readonly code?: string } = await answer.json().catch(() => ({}))
  return code === 'INVALID_PASSWORD'
    ? { field: 'currentPassword', text: 'The password is incorrect.' }
    : { field: 'newPassword', text: 'The password was not changed. It needs 10 to 128 characters.' }
}

function PasswordForm({ email }: { readonly email: string }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [values, setValues] = useState(BLANK)
  const [revokeOtherSessions, setRevoke] = useState(true)
  const [problem, setProblem] = useState<Awaited<ReturnType<typeof changePassword>>>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    const failed = await changePassword({ ...values, revokeOtherSessions })
    setBusy(false)
    setProblem(failed)
    if (failed !== null) return
    setValues(BLANK)
    toast('Your password was changed.')
    void client.invalidateQueries({ queryKey: trpc.account.get.queryKey() })
  }
  const errorOf = (field: keyof typeof BLANK) =>
    problem?.field === field ? problem.text : undefined
  return (
    <form onSubmit={(event) => void submit(event)} className="flex max-w-md flex-col gap-3">
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <Field label="Current password" error={errorOf('currentPassword')}>
        {(control) => (
          <Input
            {...control}
            type="password"
            value={values.currentPassword}
            onChange={(event) =>
              setValues({ ...values, currentPassword: event.currentTarget.value })
            }
            autoComplete="current-password"
            required
          />
        )}
      </Field>
      <Field label="New password" hint="At least 10 characters." error={errorOf('newPassword')}>
        {(control) => (
          <Input
            {...control}
            type="password"
            value={values.newPassword}
            onChange={(event) => setValues({ ...values, newPassword: event.currentTarget.value })}
            autoComplete="new-password"
            minLength={10}
            maxLength={128}
            required
          />
        )}
      </Field>
      <Checkbox checked={revokeOtherSessions} onChange={() => setRevoke(!revokeOtherSessions)}>
        Sign out everywhere else
      </Checkbox>
      <div>
        <Button type="submit" disabled={busy}>
          Change password
        </Button>
      </div>
    </form>
  )
}

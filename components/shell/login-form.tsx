'use client'
// The fields are uncontrolled, because a password manager fills them in before the page's script has loaded.
import { type FormEvent, useState } from 'react'
import { withPrefix } from '@/components/paths/prefix.ts'
import { Button } from '@/components/ui/button.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { signIn } from './sign-in.ts'
import { type Provider, SingleSignOnButton } from './single-sign-on-button.tsx'

function readFormText(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

export function LoginForm({
  next,
  providers,
  hasPasswordReset,
  refusal,
}: {
  /** Path on this server to open after login. */
  readonly next: string
  readonly providers: readonly Provider[]
  readonly hasPasswordReset: boolean
  readonly refusal: string | null
}) {
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [email, password] = [readFormText(form, 'email'), readFormText(form, 'password')]
    if (email === '' || password === '') {
      setError('Enter your email and password.')
      return
    }
    setBusy(true)
    const problem = await signIn(email, password)
    setBusy(false)
    if (problem === null) window.location.assign(withPrefix(next))
    else setError(problem)
  }
  return (
    <div className="flex flex-col gap-4">
      <ErrorLine>{refusal}</ErrorLine>
      {providers.length > 0 && (
        <div className="flex flex-col gap-2">
          {providers.map((provider) => (
            <SingleSignOnButton key={provider.id} next={next} provider={provider} verb="Sign in" />
          ))}
        </div>
      )}
      <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
        <Field label="Email">
          {(control) => (
            <Input {...control} name="email" type="email" autoComplete="username" required />
          )}
        </Field>
        <Field label="Password" error={error}>
          {(control) => (
            <Input
              {...control}
              name="password"
              type="password"
              autoComplete="current-password"
              required
            />
          )}
        </Field>
        <Button type="submit" variant="primary" disabled={busy}>
          Sign in
        </Button>
      </form>
      {hasPasswordReset ? (
        <a href={withPrefix('/reset')} className="text-link underline">
          Forgot password?
        </a>
      ) : (
        error !== undefined && (
          <p className="text-text-2">Forgot your password? Ask an admin for help.</p>
        )
      )}
    </div>
  )
}

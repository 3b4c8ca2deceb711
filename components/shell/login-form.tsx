'use client'
// The login form.
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Field, Input } from '../ui/input.tsx'
import { signIn } from './sign-in.ts'

function textOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

export function LoginForm() {
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    const problem = await signIn(textOf(form, 'email'), textOf(form, 'password'))
    setBusy(false)
    if (problem === null) window.location.assign('/')
    else setError(problem)
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
      <Field label="E-mail">
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
  )
}

'use client'
// First run: whoever holds the one-time link becomes the administrator.
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { withPrefix } from '@/components/paths/prefix.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { signIn } from './sign-in.ts'

export function SetupForm({ token }: { readonly token: string }) {
  const trpc = useTRPC()
  const setup = useMutation(trpc.members.setup.mutationOptions())
  const [values, setValues] = useState({ name: '', email: '', password: '' })
  const [problem, setProblem] = useState<string>()
  const set =
    (field: keyof typeof values) =>
    (event: { readonly currentTarget: { readonly value: string } }) =>
      setValues({ ...values, [field]: event.currentTarget.value })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setup.mutate(
      { token, ...values },
      {
        onSuccess: async () => {
          const failed = await signIn(values.email, values.password)
          if (failed === null) window.location.assign(withPrefix('/'))
          else setProblem(failed)
        },
        onError: (error) => setProblem(error.message),
      },
    )
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field label="Name">
        {(control) => (
          <Input
            {...control}
            value={values.name}
            onChange={set('name')}
            autoComplete="name"
            required
          />
        )}
      </Field>
      <Field label="E-mail">
        {(control) => (
          <Input
            {...control}
            value={values.email}
            onChange={set('email')}
            type="email"
            autoComplete="username"
            required
          />
        )}
      </Field>
      <Field label="Password" hint="At least 10 characters." error={problem}>
        {(control) => (
          <Input
            {...control}
            value={values.password}
            onChange={set('password')}
            type="password"
            autoComplete="new-password"
            minLength={10}
            required
          />
        )}
      </Field>
      <Button type="submit" variant="primary" disabled={setup.isPending}>
        Create the administrator
      </Button>
    </form>
  )
}

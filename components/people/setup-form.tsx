'use client'
import { useMutation } from '@tanstack/react-query'
import {
  Form,
  FormProblem,
  RefusedInput,
  Submit,
  useServerForm,
} from '@/components/kit/form/form.tsx'
import { withPrefix } from '@/components/paths/prefix.ts'
import { signIn } from '@/components/shell/sign-in.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'

const BLANK = { name: '', email: '', password: '' }

export function SetupForm({ token }: { readonly token: string }) {
  const trpc = useTRPC()
  const setup = useMutation(trpc.members.setup.mutationOptions())
  const form = useServerForm({
    values: BLANK,
    toInput: (values) => ({ token, ...values }),
    send: async (input) => {
      await setup.mutateAsync(input)
      const refusal = await signIn(input.email, input.password)
      if (refusal !== null) throw new RefusedInput(refusal, 'password')
      window.location.assign(withPrefix('/'))
    },
  })
  return (
    <Form form={form}>
      <form.AppField name="name">
        {(field) => <field.TextField label="Name" autoComplete="name" required />}
      </form.AppField>
      <form.AppField name="email">
        {(field) => <field.TextField label="Email" type="email" autoComplete="username" required />}
      </form.AppField>
      <form.AppField name="password">
        {(field) => (
          <field.TextField
            label="Password"
            hint="At least 10 characters."
            type="password"
            autoComplete="new-password"
            minLength={10}
            required
          />
        )}
      </form.AppField>
      <FormProblem />
      <Submit variant="primary">Create the administrator</Submit>
    </Form>
  )
}

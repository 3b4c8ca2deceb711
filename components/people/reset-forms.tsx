'use client'
import { useState } from 'react'
import {
  Form,
  FormProblem,
  RefusedInput,
  Submit,
  useServerForm,
} from '@/components/kit/form/form.tsx'
import { withPrefix } from '@/components/paths/prefix.ts'

const AWAY = 'The server cannot be reached. Check that it runs and try again.'
const TOO_MANY = 'Too many attempts. Wait a minute and try again.'

/** Rejects with a message for users. `refused`: the reason for any other refusal. */
async function post(path: string, body: object, refused: string): Promise<void> {
  const answer = await fetch(withPrefix(`/api/auth${path}`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => null)
  if (answer?.ok === true) return
  if (answer === null) throw new RefusedInput(AWAY)
  throw new RefusedInput(answer.status === 429 ? TOO_MANY : refused)
}

export function ResetRequestForm() {
  const [isSent, setSent] = useState(false)
  const form = useServerForm({
    values: { email: '' },
    toInput: ({ email }) => ({ email: email.trim() }),
    send: async (input) => {
      const refused = 'No link was sent. Check the address, or ask an admin for help.'
      await post('/request-password-reset', input, refused)
      setSent(true)
    },
  })
  if (isSent) {
    return (
      <p role="status" className="text-text-2">
        If this address has an account with a password, a link was sent to it. It works once, for 30
        minutes.
      </p>
    )
  }
  return (
    <Form form={form}>
      <form.AppField name="email">
        {(field) => <field.TextField label="Email" type="email" autoComplete="username" required />}
      </form.AppField>
      <FormProblem />
      <Submit variant="primary">Send link</Submit>
    </Form>
  )
}

export function NewPasswordForm({ token }: { readonly token: string }) {
  const form = useServerForm({
    values: { password: '' },
    toInput: ({ password }) => ({ token, newPassword: password }),
    send: async (input) => {
      const refused =
        'This link was used or has expired, or the password is too short. Ask for a new link.'
      await post('/reset-password', input, refused)
      window.location.assign(withPrefix('/login'))
    },
  })
  return (
    <Form form={form}>
      <form.AppField name="password">
        {(field) => (
          <field.TextField
            label="New password"
            hint="At least 10 characters. It ends every login of this account."
            type="password"
            autoComplete="new-password"
            minLength={10}
            required
          />
        )}
      </form.AppField>
      <FormProblem />
      <Submit variant="primary">Save password</Submit>
      <a href={withPrefix('/reset')} className="text-link underline">
        Ask for a new link
      </a>
    </Form>
  )
}

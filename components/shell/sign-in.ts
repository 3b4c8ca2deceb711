import { withPrefix } from '@/components/paths/prefix.ts'

/** Null: success; else the message for the user. */
export async function signIn(email: string, password: string): Promise<string | null> {
  const answer = await fetch(withPrefix('/api/auth/sign-in/email'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  }).catch(() => null)
  if (answer === null) return 'The server cannot be reached. Check that it runs and try again.'
  if (answer.ok) return null
  if (answer.status === 429) return 'Too many attempts. Wait a minute and try again.'
  if (answer.status === 403) {
    const { message }: { readonly message?: string } = await answer.json().catch(() => ({}))
    if (message !== undefined) return message
  }
  return 'Email or password is wrong.'
}

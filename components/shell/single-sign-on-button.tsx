'use client'
import { useState } from 'react'
import { withPrefix } from '@/components/paths/prefix.ts'
import { Button } from '@/components/ui/button.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'

interface Start {
  readonly url?: string
}

/** Returns the provider's address, or the message for the user. `path`: endpoint of better-auth, to sign in or to link an account. */
export async function startSingleSignOn(
  path: '/sign-in/social' | '/link-social',
  next: string,
): Promise<{ readonly url: string } | { readonly problem: string }> {
  const answer = await fetch(withPrefix(`/api/auth${path}`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      provider: 'oidc',
      callbackURL: withPrefix(next),
      disableRedirect: true,
      errorCallbackURL: withPrefix(
        path === '/link-social' ? next : `/login?next=${encodeURIComponent(next)}`,
      ),
    }),
  }).catch(() => null)
  if (answer === null) return { problem: 'The server cannot be reached. Try again in a moment.' }
  const { url }: Start = answer.ok ? await answer.json() : {}
  if (url !== undefined) return { url }
  return { problem: 'The identity provider cannot be reached now. Try again in a moment.' }
}

export function SingleSignOnButton({
  next,
  label,
}: {
  readonly next: string
  readonly label: string
}) {
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const start = async () => {
    setBusy(true)
    const started = await startSingleSignOn('/sign-in/social', next)
    if ('url' in started) {
      window.location.assign(started.url)
      return
    }
    setBusy(false)
    setProblem(started.problem)
  }
  return (
    <div className="flex flex-col gap-1">
      <Button disabled={busy} onClick={() => void start()}>
        {label}
      </Button>
      <ErrorLine className="text-small">{problem}</ErrorLine>
    </div>
  )
}

'use client'
import { useState } from 'react'
import { withPrefix } from '@/components/paths/prefix.ts'
import { Button } from '@/components/ui/button.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'

export interface Provider {
  readonly id: string
  /** Completes "Sign in with …". */
  readonly label: string
}

interface Start {
  readonly url?: string
}

function startProblem({ label }: Provider, answer: Response | null): string {
  if (answer === null) return 'The server cannot be reached. Try again in a moment.'
  if (answer.status === 429) return 'Too many sign-ins were started. Wait a minute and try again.'
  return `The sign-in page of ${label} cannot be reached now. Try again in a moment, or ask an admin.`
}

/** Returns the provider's address, or the message for the user. `path`: endpoint of better-auth, to sign in or to link an account. */
export async function startSingleSignOn(
  path: '/sign-in/social' | '/link-social',
  provider: Provider,
  next: string,
): Promise<{ readonly url: string } | { readonly problem: string }> {
  const back = `next=${encodeURIComponent(next)}&provider=${provider.id}`
  const answer = await fetch(withPrefix(`/api/auth${path}`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      provider: provider.id,
      callbackURL: withPrefix(next),
      disableRedirect: true,
      errorCallbackURL: withPrefix(
        path === '/link-social' ? `${next}?provider=${provider.id}` : `/login?${back}`,
      ),
    }),
  }).catch(() => null)
  const { url }: Start = answer?.ok === true ? await answer.json() : {}
  return url === undefined ? { problem: startProblem(provider, answer) } : { url }
}

export function SingleSignOnButton({
  next,
  provider,
  verb,
}: {
  readonly next: string
  readonly provider: Provider
  readonly verb: 'Sign in' | 'Continue'
}) {
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const start = async () => {
    setBusy(true)
    const started = await startSingleSignOn('/sign-in/social', provider, next)
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
        {verb} with {provider.label}
      </Button>
      <ErrorLine className="text-small">{problem}</ErrorLine>
    </div>
  )
}

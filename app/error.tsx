'use client'
import { ErrorState } from '@/components/ui/states.tsx'

export default function PageError({
  error,
  reset,
}: {
  readonly error: Error & { digest?: string }
  readonly reset: () => void
}) {
  const why =
    error.digest === undefined
      ? `The page failed in the browser: ${error.message}`
      : `The server could not answer. Reference ${error.digest}.`
  return <ErrorState what="This page could not be shown." why={why} onRetry={reset} />
}

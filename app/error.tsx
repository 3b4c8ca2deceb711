'use client'
import { ErrorState } from '@/components/ui/states.tsx'

export default function PageError({
  error,
  reset,
}: {
  readonly error: Error & { digest?: string }
  readonly reset: () => void
}) {
  const reference = error.digest === undefined ? '' : ` Reference ${error.digest}.`
  return (
    <ErrorState
      what="This page could not be shown."
      why={`The server could not answer.${reference}`}
      onRetry={reset}
    />
  )
}

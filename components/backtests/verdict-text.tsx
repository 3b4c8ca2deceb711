import { StatusText } from '@/components/ui/status-badge.tsx'
import { verdictLook } from './words.ts'

export function VerdictText({ verdict }: { readonly verdict: string }) {
  const { status, word } = verdictLook(verdict)
  return <StatusText status={status}>{word}</StatusText>
}

export function BeforeAfter({
  before,
  after,
}: {
  readonly before: string
  readonly after: string
}) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <VerdictText verdict={before} />
      <span aria-hidden className="text-text-3">
        →
      </span>
      <span className="sr-only">becomes</span>
      <VerdictText verdict={after} />
    </span>
  )
}

import { type Status, StatusText } from '@/components/ui/status-badge.tsx'

type RuleResult = 'allow' | 'deny' | 'error' | 'not_applicable' | 'not_evaluated' | 'off'

const RESULT = {
  allow: { status: 'allowed', word: 'allows' },
  deny: { status: 'denied', word: 'Denies' },
  error: { status: 'error', word: 'Error, denies' },
  not_applicable: { status: 'not_evaluated', word: 'does not apply' },
  not_evaluated: { status: 'not_evaluated', word: 'not evaluated' },
  off: { status: 'not_evaluated', word: 'off' },
} as const satisfies Record<RuleResult, { status: Status; word: string }>

const CONTENT: ReadonlyMap<string, { readonly status: Status; readonly word: string }> = new Map([
  ['content.clean', { status: 'allowed', word: 'nothing found' }],
  ['content.masked', { status: 'caution', word: 'Masks' }],
  ['content.warned', { status: 'caution', word: 'Warns' }],
  ['content.withheld', { status: 'denied', word: 'Withholds' }],
])

export function RuleResultText({
  result,
  mode,
  code = null,
}: {
  readonly result: RuleResult
  readonly mode: string
  /** Reason code. Absent or null: the result alone is shown. */
  readonly code?: string | null
}) {
  const { status, word } = CONTENT.get(code ?? '') ?? RESULT[result]
  return (
    <>
      <StatusText status={status}>{word}</StatusText>
      {mode === 'shadow' ? <span className="block text-small text-text-3">shadow</span> : null}
    </>
  )
}

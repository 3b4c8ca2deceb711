'use client'
import { plural } from '@signalbox/core/analysis'
import { Select } from '@/components/ui/select.tsx'
import { USUAL_SESSIONS } from '@/server/releases/releases.list.ts'
import { permilleText } from './permille-text.ts'

export type Metric = 'denials' | 'blocks' | 'overrides'

export interface StagedRolloutTerms {
  /** Per mille. */
  readonly share: number
  readonly metric: Metric
  readonly ratio: number
  readonly minSessions: number
}

export const USUAL_TERMS: StagedRolloutTerms = {
  share: 100,
  metric: 'denials',
  ratio: 1.5,
  minSessions: USUAL_SESSIONS,
}

export const SHARES = [10, 50, 100, 250, 500, 750, 900] as const
const RATIOS = [1, 1.1, 1.25, 1.5, 2, 3, 5] as const
const SESSIONS = [5, 10, 20, 50, 100, 500] as const

export const METRIC_WORDS = {
  denials: 'denied calls',
  blocks: 'blocked stops',
  overrides: 'incomplete outputs',
} as const satisfies Record<Metric, string>

export function ShareSelect({
  shares,
  share,
  onChange,
}: {
  /** Offered beside `share` itself. */
  readonly shares: readonly number[]
  readonly share: number
  readonly onChange: (share: number) => void
}) {
  const offered = [...new Set([...shares, share])].sort((a, b) => a - b)
  return (
    <Select
      label="Share of new sessions"
      value={String(share)}
      options={offered.map((each) => ({ value: String(each), label: permilleText(each) }))}
      onChange={(value) => onChange(Number(value))}
    />
  )
}

export function GuardFields({
  terms,
  onChange,
}: {
  readonly terms: StagedRolloutTerms
  readonly onChange: (terms: StagedRolloutTerms) => void
}) {
  const { metric, ratio, minSessions } = terms
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span>Roll back automatically when it has more than</span>
      <Select
        label="Allowed ratio"
        value={String(ratio)}
        options={RATIOS.map((each) => ({ value: String(each), label: `${each} ×` }))}
        onChange={(value) => onChange({ ...terms, ratio: Number(value) })}
      />
      <span>the</span>
      <Select
        label="What is counted"
        value={metric}
        options={(['denials', 'blocks', 'overrides'] as const).map((value) => ({
          value,
          label: METRIC_WORDS[value],
        }))}
        onChange={(value) => onChange({ ...terms, metric: value })}
      />
      <span>per session, once each version has</span>
      <Select
        label="Sessions needed"
        value={String(minSessions)}
        options={SESSIONS.map((each) => ({ value: String(each), label: plural(each, 'session') }))}
        onChange={(value) => onChange({ ...terms, minSessions: Number(value) })}
      />
    </div>
  )
}

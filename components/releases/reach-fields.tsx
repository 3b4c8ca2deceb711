'use client'
import { plural } from '@signalbox/core/analysis'
import { Field } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
// See specs/staged-rollouts.md.
import { permilleText } from './permille-text.ts'
import {
  GuardFields,
  METRIC_WORDS,
  SHARES,
  ShareSelect,
  type StagedRolloutTerms,
  USUAL_TERMS,
} from './staged-rollout-fields.tsx'

const REACHES = [
  { value: 'all', label: 'Every new session' },
  { value: 'watched', label: 'Every new session, monitored' },
  { value: 'staged', label: 'A share of new sessions' },
] as const

export interface Reach {
  readonly kind: (typeof REACHES)[number]['value']
  /** Kept while another kind is selected. */
  readonly terms: StagedRolloutTerms
  /** Duration of a watch. */
  readonly hours: number
}

export const TO_ALL: Reach = { kind: 'all', terms: USUAL_TERMS, hours: 24 }
export const STAGED: Reach = { ...TO_ALL, kind: 'staged' }
export const WATCHED: Reach = { ...TO_ALL, kind: 'watched' }

const HOURS = [1, 6, 24, 72, 168, 336] as const

function hoursText(hours: number): string {
  if (hours === 1) return '1 hour'
  return hours <= 24 ? plural(hours, 'hour') : plural(hours / 24, 'day')
}

export function toReachTerms({ kind, terms, hours }: Reach) {
  const { share, ...guard } = terms
  if (kind === 'staged') return { stage: { share, guard } }
  return kind === 'watched' ? { watch: { hours, guard } } : {}
}

export function ReachSelect({
  reach,
  hindrance,
  onChange,
}: {
  readonly reach: Reach
  readonly hindrance: string | null
  readonly onChange: (reach: Reach) => void
}) {
  return (
    <Field label="To" hint={hindrance ?? undefined}>
      {({ id }) => (
        <Select
          id={id}
          label="To"
          disabled={hindrance !== null}
          value={hindrance === null ? reach.kind : 'all'}
          options={REACHES}
          onChange={(kind) => onChange({ ...reach, kind })}
        />
      )}
    </Field>
  )
}

/** Empty for a release to every session. */
export function ReachTerms({
  reach,
  live,
  onChange,
}: {
  readonly reach: Reach
  readonly live: number
  readonly onChange: (reach: Reach) => void
}) {
  const { kind, terms } = reach
  if (kind === 'all') return null
  return (
    <fieldset className="flex flex-col gap-2 rounded-card border border-border bg-surface-2 p-3">
      <legend className="sr-only">
        {kind === 'staged' ? 'Share and guard' : 'Monitoring and guard'}
      </legend>
      {kind === 'staged' ? (
        <div className="flex flex-wrap items-center gap-2">
          <ShareSelect
            shares={SHARES}
            share={terms.share}
            onChange={(share) => onChange({ ...reach, terms: { ...terms, share } })}
          />
          <span>of new sessions get it; the others keep v{live}.</span>
        </div>
      ) : (
        <WatchSpan reach={reach} live={live} onChange={onChange} />
      )}
      <GuardFields terms={terms} onChange={(next) => onChange({ ...reach, terms: next })} />
    </fieldset>
  )
}

function WatchSpan({
  reach,
  live,
  onChange,
}: {
  readonly reach: Reach
  readonly live: number
  readonly onChange: (reach: Reach) => void
}) {
  const spans = HOURS.map((each) => ({ value: String(each), label: hoursText(each) }))
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span>For</span>
      <Select
        label="Monitored for"
        value={String(reach.hours)}
        options={spans}
        onChange={(value) => onChange({ ...reach, hours: Number(value) })}
      />
      <span>its sessions are compared with those of v{live}.</span>
    </div>
  )
}

/** Null: a release to every session. */
export function reachText({ kind, terms, hours }: Reach): string | null {
  const { metric, ratio } = terms
  const guard = `rolled back automatically above ${ratio} × the ${METRIC_WORDS[metric]}`
  if (kind === 'staged') return `${permilleText(terms.share)} of new sessions get it, ${guard}.`
  return kind === 'watched' ? `Monitored for ${hoursText(hours)}, ${guard}.` : null
}

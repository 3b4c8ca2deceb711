import { countText, plural, shareText } from '@signalbox/core/analysis'
import { GuardTag } from '@/components/releases/monitoring-card.tsx'
import { permilleText } from '@/components/releases/permille-text.ts'
import { METRIC_WORDS } from '@/components/releases/staged-rollout-fields.tsx'
import { meanText } from '@/components/releases/verdict-words.ts'
import { Card } from '@/components/ui/card.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { durationText } from '@/components/ui/time.tsx'
import { toLabel } from '@/components/ui/to-label.ts'
import type { RolloutView } from '@/server/staged-rollouts/staged-rollout-overview.ts'
import { differenceText } from './difference-text.ts'

type Counts = RolloutView['base']

export const ROLE_WORDS = {
  staged: { base: 'In force', candidate: 'Candidate' },
  watch: { base: 'Before', candidate: 'Monitored' },
} as const satisfies Record<RolloutView['kind'], object>

/** Wraps, so that a narrow card keeps every column. */
const NAME = 'max-w-none whitespace-normal'

interface Measure {
  readonly name: string
  readonly value: (counts: Counts) => number | null
  readonly text: (value: number | null) => string
  readonly round: (value: number) => number
}

const percent = (value: number | null): string => (value === null ? '–' : shareText(value, 1))

const roundPercent = (value: number): number => Number.parseFloat(percent(value)) / 100

const roundMean = (mean: number): number => Number(meanText(mean))

const keep = (value: number): number => value

const divide = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

const MEASURES: readonly Measure[] = [
  {
    name: 'Stops blocked',
    value: (c) => divide(c.blocked, c.stops),
    text: percent,
    round: roundPercent,
  },
  {
    name: 'Stops bypassed',
    value: (c) => divide(c.bypassed, c.stops),
    text: percent,
    round: roundPercent,
  },
  {
    name: 'Plan finished',
    value: (c) => divide(c.planDone, c.planned),
    text: percent,
    round: roundPercent,
  },
  {
    name: 'Median duration',
    value: (c) => c.medianMs,
    text: (value) => (value === null ? '–' : durationText(value)),
    round: keep,
  },
  {
    name: 'Could not evaluate',
    value: (c) => c.errors,
    text: (value) => (value === null ? '–' : countText(value)),
    round: keep,
  },
]

export function VersionsCard({ rollout }: { readonly rollout: RolloutView }) {
  const { version, baseVersion, share, kind, guard, base, candidate } = rollout
  const isEnough = Math.min(guard.base, guard.candidate) >= guard.minSessions
  const isStaged = kind === 'staged'
  const guardName = METRIC_WORDS[guard.metric]
  return (
    <Card className="min-w-0">
      <div className="grid grid-cols-2">
        <VersionHead
          color="var(--series-1)"
          role={ROLE_WORDS[kind].base}
          version={baseVersion}
          detail={`${isStaged ? `${permilleText(1000 - share)} of new sessions · ` : ''}${countText(guard.base)} ended`}
        />
        <VersionHead
          color="var(--series-2)"
          role={ROLE_WORDS[kind].candidate}
          version={version}
          detail={`${isStaged ? `${permilleText(share)} of new sessions · ` : ''}${countText(guard.candidate)} ended`}
        />
      </div>
      {isStaged && (
        <div aria-hidden className="mx-3 mb-2 flex h-2 gap-0.5 overflow-hidden rounded-full">
          <div style={{ flexGrow: 1000 - share, background: 'var(--series-1)' }} />
          <div style={{ flexGrow: share, background: 'var(--series-2)' }} />
        </div>
      )}
      <Table aria-label="Versions compared">
        <thead>
          <tr>
            <HeadCell>Measure</HeadCell>
            <HeadCell className="text-right">v{baseVersion}</HeadCell>
            <HeadCell className="text-right">v{version}</HeadCell>
            <HeadCell className="text-right">Difference</HeadCell>
          </tr>
        </thead>
        <tbody>
          <Row>
            <Cell className={NAME}>Sessions begun</Cell>
            <Cell className="text-right tabular-nums">{countText(base.sessions)}</Cell>
            <Cell className="text-right font-medium tabular-nums">
              {countText(candidate.sessions)}
            </Cell>
            <Cell className="text-right text-text-2">–</Cell>
          </Row>
          <Row>
            <Cell className={`${NAME} font-medium`}>
              {toLabel(guardName)} <GuardTag />
            </Cell>
            <Cell className="text-right tabular-nums">{meanText(guard.baseMean)}</Cell>
            <Cell className="text-right font-medium tabular-nums">
              {meanText(guard.candidateMean)}
            </Cell>
            <Cell className="text-right tabular-nums">
              {differenceText(guard.baseMean, guard.candidateMean, {
                text: meanText,
                round: roundMean,
              })}
            </Cell>
          </Row>
          {MEASURES.map(({ name, value, text, round }) => (
            <Row key={name}>
              <Cell className={NAME}>{name}</Cell>
              <Cell className="text-right tabular-nums">{text(value(base))}</Cell>
              <Cell className="text-right font-medium tabular-nums">{text(value(candidate))}</Cell>
              <Cell className="text-right text-text-2 tabular-nums">
                {isEnough
                  ? differenceText(value(base), value(candidate), { text, round })
                  : 'too few'}
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      <p className="border-border border-t px-3 py-2 text-small text-text-2">
        Stop attempts: {countText(base.stops)} with v{baseVersion}, {countText(candidate.stops)}{' '}
        with v{version}. Ended sessions with a plan: {countText(base.planned)} and{' '}
        {countText(candidate.planned)}.
        {!isEnough && ` Too few: both versions need ${plural(guard.minSessions, 'ended session')}.`}
      </p>
    </Card>
  )
}

function VersionHead({
  color,
  role,
  version,
  detail,
}: {
  readonly color: string
  readonly role: string
  readonly version: number
  readonly detail: string
}) {
  return (
    <div className="min-w-0 border-border px-3 py-2 first:border-r">
      <p className="flex items-center gap-1.5 text-small text-text-2">
        <span aria-hidden className="size-2.5 rounded-[2px]" style={{ background: color }} />
        {role}
      </p>
      <p className="font-semibold text-h1">v{version}</p>
      <p className="text-small text-text-2">{detail}</p>
    </div>
  )
}

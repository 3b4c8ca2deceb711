'use client'

import { countText, plural, shareText } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Select } from '@/components/ui/select.tsx'
import { EmptyState, ErrorState, Skeleton } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import type { VersionRates } from '@/server/analytics/compare.ts'
import { USUAL_SESSIONS } from '@/server/releases/releases.list.ts'
import type { AnalyticsFilter, AnalyticsView } from './use-analytics-view.ts'

/** As many as the verdict of a rollout needs by default. */
const FEWEST = USUAL_SESSIONS

interface Measure {
  readonly name: string
  readonly noun: string
  readonly part: (rates: VersionRates) => number
  readonly whole: (rates: VersionRates) => number
}

const MEASURES: readonly Measure[] = [
  { name: 'Calls denied', noun: 'call', part: (r) => r.denied, whole: (r) => r.calls },
  { name: 'Stops blocked', noun: 'stop', part: (r) => r.blocked, whole: (r) => r.stops },
  { name: 'Stops bypassed', noun: 'stop', part: (r) => r.bypassed, whole: (r) => r.stops },
  {
    name: 'Stops allowed at the first attempt',
    noun: 'allowed stop',
    part: (r) => r.releasedAtOnce,
    whole: (r) => r.released,
  },
  {
    name: 'Feedback followed',
    noun: 'delivery',
    part: (r) => r.followed,
    whole: (r) => r.advised,
  },
]

/** The selected versions, else the two newest. */
function selectComparedVersions({ values, filter, frame }: AnalyticsView) {
  const versions = filter.prompt === undefined ? [] : (frame?.versions ?? [])
  const second = values.version ?? versions[0]?.number
  const first = values.against ?? versions.find(({ number }) => number !== second)?.number
  const isLoading = filter.prompt !== undefined && frame === undefined
  return { versions, first, second, isLoading }
}

export function CompareCard({ view }: { readonly view: AnalyticsView }) {
  const { versions, first, second, isLoading } = selectComparedVersions(view)
  const { prompt } = view.filter
  const isReady = prompt !== undefined && first !== undefined && second !== undefined
  return (
    <Card className="min-w-0">
      <CardHeader
        title="Compare two versions"
        actions={
          isReady ? (
            <span className="flex items-center gap-1.5">
              <VersionSelect
                label="First version"
                value={first}
                versions={versions}
                onChange={(against) => view.change({ against })}
              />
              <span className="text-text-2">and</span>
              <VersionSelect
                label="Second version"
                value={second}
                versions={versions}
                onChange={(version) => view.change({ version })}
              />
            </span>
          ) : undefined
        }
      />
      {isReady ? (
        <Compared filter={{ ...view.filter, prompt }} versions={[first, second]} />
      ) : isLoading ? (
        <Skeleton className="m-3 h-40" />
      ) : (
        <EmptyState
          title={
            prompt === undefined
              ? 'Choose a prompt above to compare two versions.'
              : 'This prompt has no second version yet.'
          }
        />
      )}
    </Card>
  )
}

function Compared({
  filter,
  versions,
}: {
  readonly filter: AnalyticsFilter & Required<Pick<AnalyticsFilter, 'prompt'>>
  readonly versions: number[]
}) {
  const trpc = useTRPC()
  const query = useQuery(trpc.analytics.compare.queryOptions({ filter, versions }))
  if (query.data !== undefined) return <Rates rates={query.data} />
  if (query.error === null) return <Skeleton className="m-3 h-40" />
  return (
    <ErrorState
      what="The versions could not be compared."
      why={query.error}
      onRetry={() => void query.refetch()}
    />
  )
}

function VersionSelect({
  label,
  value,
  versions,
  onChange,
}: {
  readonly label: string
  readonly value: number | undefined
  readonly versions: readonly { readonly number: number }[]
  readonly onChange: (number: number) => void
}) {
  return (
    <Select
      label={label}
      value={String(value ?? '')}
      options={versions.map(({ number }) => ({ value: String(number), label: `v${number}` }))}
      onChange={(next) => onChange(Number(next))}
    />
  )
}

/** Difference in percentage points, with a true minus sign. */
function differenceText({ part, whole }: Measure, one: VersionRates, two: VersionRates): string {
  if (whole(one) === 0 || whole(two) === 0) return '–'
  const points = (part(two) / whole(two) - part(one) / whole(one)) * 100
  const text = Math.abs(points).toFixed(1)
  return text === '0.0' ? 'no change' : `${points > 0 ? '+' : '−'}${text} points`
}

function Rates({ rates }: { readonly rates: readonly VersionRates[] }) {
  const [one, two] = rates
  if (one === undefined || two === undefined)
    return <EmptyState title="One of these versions does not exist." />
  const few = rates.filter(({ sessions }) => sessions < FEWEST)
  return (
    <>
      <Table isStacked>
        <thead>
          <tr>
            <HeadCell>Rate</HeadCell>
            {[one, two].map(({ version, sessions }, index) => (
              <HeadCell key={index === 0 ? 'first' : 'second'} className="text-right">
                v{version}, {plural(sessions, 'session')}
              </HeadCell>
            ))}
            <HeadCell className="text-right">Difference</HeadCell>
          </tr>
        </thead>
        <tbody>
          {MEASURES.map((measure) => (
            <Row key={measure.name}>
              <Cell>{measure.name}</Cell>
              {[one, two].map((version, index) => {
                const part = measure.part(version)
                const whole = measure.whole(version)
                return (
                  <Cell
                    key={index === 0 ? 'first' : 'second'}
                    label={`v${version.version}`}
                    className="text-right tabular-nums"
                    title={`${countText(part)} of ${plural(whole, measure.noun)}`}
                  >
                    {shareText(part, whole)}{' '}
                    <span className="text-small text-text-2">of {plural(whole, measure.noun)}</span>
                  </Cell>
                )
              })}
              <Cell label="Difference" className="text-right tabular-nums">
                {few.length > 0 ? 'too few' : differenceText(measure, one, two)}
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      <p className="px-3 py-2 text-small text-text-2">
        {few.length > 0
          ? `Too few sessions to compare: ${few
              .map(({ version, sessions }) => `v${version} has ${plural(sessions, 'session')}`)
              .join(
                ', ',
              )} in this range, and fewer than ${FEWEST} are not enough to judge a version.`
          : 'Sessions that began with the version in this range, and what was decided under it. The sessions did different work, so a difference does not prove that the version caused it.'}
      </p>
    </>
  )
}

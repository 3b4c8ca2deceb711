'use client'

import { plural } from '@signalbox/core/analysis'
import { useState } from 'react'
import { Button, LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { EmptyState, Skeleton } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { durationText } from '@/components/ui/time.tsx'
import type { Adoption } from '@/server/releases/adoption.ts'
import type { ReleaseDetail } from '@/server/releases/release-pages.ts'
import type { AdoptionMark } from './adoption-chart.tsx'
import { adoptionPoints, findTimeScale } from './adoption-points.ts'

const AdoptionChart = lazySection(
  () => import('./adoption-chart.tsx').then((module) => module.AdoptionChart),
  <Skeleton className="h-[230px]" />,
)

interface Reports {
  /** Ascending, epoch ms. */
  readonly appliedAt: readonly number[]
  readonly count: number
  /** Null: the release was replaced, or every runtime that applied it has left. */
  readonly target: number | null
  readonly rejections: readonly AdoptionMark[]
}

/** The runtimes that the state of the release counts; without connected ones, those that applied it while it was current. */
function selectReports(release: ReleaseDetail, adoption: Adoption): Reports {
  const { createdAt, successor } = release
  if (successor !== null || adoption.total === 0) {
    const { appliedAt, appliedCount: count } = release
    return { appliedAt, count, target: null, rejections: [] }
  }
  const appliedAt = adoption.runtimes
    .flatMap((runtime) => (runtime.appliedAt === null ? [] : [runtime.appliedAt]))
    .sort((a, b) => a - b)
  const rejections = adoption.runtimes
    .flatMap(({ name, rejectedAt }) =>
      rejectedAt === null ? [] : [{ name, afterMs: Math.max(0, rejectedAt - createdAt) }],
    )
    .sort((a, b) => a.afterMs - b.afterMs)
  return { appliedAt, count: adoption.applied, target: adoption.total, rejections }
}

export function AdoptionCard({
  release,
  adoption,
}: {
  readonly release: ReleaseDetail
  /** Undefined: not loaded. */
  readonly adoption: Adoption | undefined
}) {
  const [isTable, setTable] = useState(false)
  const reports = adoption === undefined ? undefined : selectReports(release, adoption)
  const { version, successor } = release
  const lacksRuntime = successor === null && adoption?.total === 0
  const hasReport = reports !== undefined && reports.count + reports.rejections.length > 0
  return (
    <Card>
      <CardHeader
        title="Adoption"
        aside={`runtimes that applied v${version}`}
        actions={
          hasReport && (
            <Button
              variant="quiet"
              className="text-link"
              aria-pressed={isTable}
              onClick={() => setTable(!isTable)}
            >
              {isTable ? 'View as chart' : 'View as table'}
            </Button>
          )
        }
      />
      {reports === undefined && <Skeleton className="m-3 h-[230px]" />}
      {reports !== undefined && !hasReport && (
        <EmptyState
          title={
            successor !== null
              ? `v${successor.version} replaced v${version} before any runtime applied it.`
              : lacksRuntime
                ? 'No runtime that hosts this prompt has connected yet.'
                : 'No runtime has reported yet.'
          }
        >
          {successor === null && 'The chart appears with the first report of a runtime.'}
          {lacksRuntime && (
            <p className="mt-2">
              <LinkButton
                variant={adoption?.status === 'waiting' ? 'primary' : 'secondary'}
                href="/runtimes?connect=claude-code"
              >
                Connect an agent
              </LinkButton>
            </p>
          )}
        </EmptyState>
      )}
      {reports !== undefined && hasReport && (
        <Reported release={release} reports={reports} isTable={isTable} />
      )}
    </Card>
  )
}

function Reported({
  release: { createdAt, version },
  reports: { appliedAt, count, target, rejections },
  isTable,
}: {
  readonly release: ReleaseDetail
  readonly reports: Reports
  readonly isTable: boolean
}) {
  const lastMs = Math.max(
    (appliedAt.at(-1) ?? createdAt) - createdAt,
    rejections.at(-1)?.afterMs ?? 0,
  )
  const scale = findTimeScale(lastMs)
  const points = adoptionPoints({ createdAt, appliedAt, count, endMs: scale.endMs })
  const of = target === null ? plural(count, 'runtime') : `${count} of ${plural(target, 'runtime')}`
  if (isTable) {
    const steps = [
      ...points
        .slice(1, -1)
        .map(({ afterMs, applied }) => ({ afterMs, text: `${applied} applied` })),
      ...rejections.map(({ afterMs, name }) => ({ afterMs, text: `${name} rejected it` })),
    ].sort((a, b) => a.afterMs - b.afterMs)
    return (
      <Table>
        <thead>
          <tr>
            <HeadCell>Time after the release</HeadCell>
            <HeadCell>Result</HeadCell>
          </tr>
        </thead>
        <tbody>
          {steps.map(({ afterMs, text }) => (
            <Row key={`${afterMs} ${text}`}>
              <Cell className="font-mono text-mono">{durationText(afterMs)}</Cell>
              <Cell>{text}</Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    )
  }
  return (
    <div
      role="img"
      aria-label={`Runtimes that applied v${version} by time after the release: ${of}, ${durationText(lastMs)} after it.${rejections.map(({ name, afterMs }) => ` ${name} rejected it after ${durationText(afterMs)}.`).join('')}`}
      className="px-1 pt-1"
    >
      <AdoptionChart
        version={version}
        points={points}
        scale={scale}
        target={target}
        rejections={rejections}
      />
    </div>
  )
}

'use client'

import { useState } from 'react'
import { LegendItems } from '@/components/kit/chart/legend.tsx'
import { seriesLook } from '@/components/kit/chart/series-look.ts'
import { HOW_IT_IS_DECIDED } from '@/components/releases/monitoring-card.tsx'
import { permilleText } from '@/components/releases/permille-text.ts'
import { METRIC_WORDS } from '@/components/releases/staged-rollout-fields.tsx'
import { findLimit, meanText } from '@/components/releases/verdict-words.ts'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState, Skeleton } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { toLabel } from '@/components/ui/to-label.ts'
import type { RolloutView } from '@/server/staged-rollouts/staged-rollout-overview.ts'
import { ROLE_WORDS } from './versions-card.tsx'

const GuardChart = lazySection(
  () => import('./guard-chart.tsx').then((module) => module.GuardChart),
  <Skeleton className="h-[280px]" />,
)

export function GuardCard({ rollout }: { readonly rollout: RolloutView }) {
  const { version, baseVersion, guard, history, createdAt, changes, kind } = rollout
  const [isTable, setTable] = useState(false)
  const limit = findLimit(guard)
  const last = history.at(-1)
  const noun = METRIC_WORDS[guard.metric]
  const { base, candidate: tried } = ROLE_WORDS[kind]
  const [old, candidate] = [seriesLook(0), seriesLook(1)]
  return (
    <Card className="min-w-0">
      <CardHeader
        title={`Guard: ${noun} per session`}
        aside={`stops v${version} above ${guard.ratio}× of v${baseVersion}`}
        actions={
          last !== undefined && (
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
      {last === undefined ? (
        <EmptyState title="No session has ended yet.">
          The chart appears when sessions with these versions end.
        </EmptyState>
      ) : isTable ? (
        <Table>
          <thead>
            <tr>
              <HeadCell>Time</HeadCell>
              <HeadCell className="text-right">v{baseVersion}</HeadCell>
              <HeadCell className="text-right">v{version}</HeadCell>
              <HeadCell className="text-right">99% range of v{version}</HeadCell>
            </tr>
          </thead>
          <tbody>
            {history.map((point) => (
              <Row key={point.at}>
                <Cell>
                  <Timestamp at={point.at} style="row" />
                </Cell>
                <Cell className="text-right tabular-nums">{meanText(point.base)}</Cell>
                <Cell className="text-right tabular-nums">{meanText(point.candidate)}</Cell>
                <Cell className="text-right tabular-nums">
                  {point.range === null ? '–' : point.range.map(meanText).join('–')}
                </Cell>
              </Row>
            ))}
          </tbody>
        </Table>
      ) : (
        <div
          role="img"
          aria-label={`${noun} per session, mean so far: v${baseVersion} ${meanText(last.base)}, v${version} ${meanText(last.candidate)}, limit ${meanText(limit)}.`}
          className="px-1 pt-2"
        >
          <p className="px-2 text-small text-text-2">{toLabel(noun)} per session, mean so far</p>
          <GuardChart
            points={history}
            version={version}
            baseVersion={baseVersion}
            limit={limit}
            ratio={guard.ratio}
            from={createdAt}
            shares={
              kind === 'staged'
                ? changes
                    .filter((change) => change.kind === 'started' || change.kind === 'share')
                    .map(({ at, share }) => ({ at, label: permilleText(share) }))
                : []
            }
          />
        </div>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 border-border border-t py-2 pr-3">
        <LegendItems
          items={[
            { label: `v${baseVersion}, ${base.toLowerCase()}`, ...old },
            { label: `v${version}, ${tried.toLowerCase()}`, ...candidate },
            {
              label: `99% range of v${version}`,
              fill: 'color-mix(in oklab, var(--series-2) 35%, var(--surface))',
              hatch: 0,
            },
          ]}
        />
        <p className="text-small text-text-2 pl-3">
          An automatic rollback is wrong in at most 1% of rollouts.{' '}
          <Link href={HOW_IT_IS_DECIDED} className="text-link hover:underline">
            How it is decided
          </Link>
        </p>
      </div>
    </Card>
  )
}

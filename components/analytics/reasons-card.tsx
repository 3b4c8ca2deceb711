'use client'
// Why calls were denied, and how often the same call was allowed later.
import { countText, plural, reasonWords, shareText } from '@signalbox/core/analysis'
import { formatChartRange, sumCounts } from '@/components/kit/chart/plot.ts'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { InfoPopover } from '@/components/ui/info-popover.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState, ErrorState, Skeleton } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import type { Chart } from '@/server/analytics/charts.ts'
import { useChart } from './chart-card.tsx'
import { findReasonFilter } from './reason-filter.ts'
import type { AnalyticsView } from './use-analytics-view.ts'

interface Reason {
  /** Null: several reasons share these words. */
  readonly code: string | null
  readonly words: string
  readonly calls: number
  readonly later: number
  readonly tool: string
}

/** Codes with the same words are one reason. */
function groupReasons(denied: Chart, later: Chart): readonly Reason[] {
  const byWords = new Map<string, Omit<Reason, 'words'>>()
  // Rows are sorted by count, so the first tool of a reason is its largest.
  for (const {
    names: [code = '', tool = ''],
    counts,
  } of denied.rows) {
    const words = reasonWords(code)
    const known = byWords.get(words) ?? { code, calls: 0, later: 0, tool }
    byWords.set(words, {
      ...known,
      code: known.code === code ? code : null,
      calls: known.calls + sumCounts(counts),
    })
  }
  for (const {
    names: [code = ''],
    counts,
  } of later.rows) {
    const words = reasonWords(code)
    const known = byWords.get(words)
    if (known !== undefined)
      byWords.set(words, { ...known, later: known.later + sumCounts(counts) })
  }
  return [...byWords]
    .map(([words, reason]) => ({ words, ...reason }))
    .sort((a, b) => b.calls - a.calls)
}

const MOST = 8

export function ReasonsCard({ view }: { readonly view: AnalyticsView }) {
  const denied = useChart(view, 'denial_reasons')
  const later = useChart(view, 'allowed_later')
  const reasons =
    denied.data === undefined || later.data === undefined
      ? undefined
      : groupReasons(denied.data, later.data)
  const error = denied.error ?? later.error
  const range = denied.data === undefined ? '' : formatChartRange(denied.data)
  const hidden = reasons?.slice(MOST) ?? []
  const most = Math.max(1, ...(reasons ?? []).map(({ calls }) => calls))
  return (
    // Its height does not change when the reasons come, so that the cards below do not move.
    <Card className="flex min-h-[312px] min-w-0 flex-col">
      <CardHeader
        title="Why calls were denied"
        aside={reasons === undefined ? undefined : plural(reasons.length, 'reason')}
        actions={
          <Link href={view.listHref('/decisions', {}, range)} className="text-link hover:underline">
            All denied calls
          </Link>
        }
      />
      {reasons === undefined && error !== null && (
        <ErrorState
          what="The reasons could not be loaded."
          why={error}
          onRetry={() => void Promise.all([denied.refetch(), later.refetch()])}
        />
      )}
      {reasons === undefined && error === null && <Skeleton className="m-3 flex-1" />}
      {reasons?.length === 0 && <EmptyState title="No tool call was denied in this range." />}
      {reasons !== undefined && reasons.length > 0 && (
        <Table isStacked>
          <thead>
            <tr>
              <HeadCell>Reason</HeadCell>
              <HeadCell>
                <span className="sr-only">Share of the largest</span>
              </HeadCell>
              <HeadCell className="text-right">Calls</HeadCell>
              <HeadCell className="text-right">
                <span className="inline-flex items-center align-middle">
                  Allowed later
                  <InfoPopover term="allowed later" page="/docs/specs/analytics">
                    Denied calls whose tool and input were allowed later in the same session, as a
                    share of denied calls.
                  </InfoPopover>
                </span>
              </HeadCell>
              <HeadCell>Top tool</HeadCell>
            </tr>
          </thead>
          <tbody>
            {reasons.slice(0, MOST).map((reason) => {
              const filter = reason.code === null ? null : findReasonFilter(reason.code)
              return (
                <ReasonRow
                  key={reason.words}
                  reason={reason}
                  most={most}
                  href={filter === null ? null : view.listHref('/decisions', filter, range)}
                />
              )
            })}
            {hidden.length > 0 && (
              <ReasonRow
                reason={{
                  code: null,
                  words: `Others (${hidden.length} of ${plural(reasons.length, 'reason')})`,
                  calls: hidden.reduce((sum, { calls }) => sum + calls, 0),
                  later: hidden.reduce((sum, { later: count }) => sum + count, 0),
                  tool: '',
                }}
                most={most}
                href={null}
              />
            )}
          </tbody>
        </Table>
      )}
    </Card>
  )
}

function ReasonRow({
  reason: { words, calls, later, tool },
  most,
  href,
}: {
  readonly reason: Reason
  /** Calls of the longest bar. */
  readonly most: number
  /** Null: no list holds exactly these calls. */
  readonly href: string | null
}) {
  return (
    <Row>
      <Cell className="max-w-none whitespace-normal">{words}</Cell>
      <Cell className="w-24">
        <span aria-hidden className="block h-2 w-20 overflow-hidden rounded-[2px] bg-surface-3">
          <span
            className="block h-full bg-text-2"
            style={{ width: `${Math.min(1, calls / most) * 100}%` }}
          />
        </span>
      </Cell>
      <Cell label="Calls" className="text-right font-medium tabular-nums">
        {href === null ? (
          countText(calls)
        ) : (
          <Link href={href} className="hover:underline">
            {countText(calls)}
          </Link>
        )}
      </Cell>
      <Cell label="Allowed later" className="text-right tabular-nums">
        {shareText(later, calls)}
      </Cell>
      <Cell label="Top tool" className="font-mono text-mono text-text-2">
        {tool === '' ? '–' : tool}
      </Cell>
    </Row>
  )
}

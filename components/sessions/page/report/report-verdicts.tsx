import { countText } from '@signalbox/core/analysis'
import { viaText } from '@/components/explanations/stop-headline.ts'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { type Status, StatusText } from '@/components/ui/status-badge.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { SessionReport } from '@/server/explanations/session-report.ts'
import type { ReportedVerdict } from '@/server/explanations/session-report-facts.sql.ts'

const LOOK = {
  call: {
    denied: { status: 'denied', word: 'Denied' },
    error: { status: 'error', word: 'Error, denied' },
  },
  stop: {
    blocked: { status: 'blocked', word: 'Stop blocked' },
    bypassed: { status: 'bypassed', word: 'Stop bypassed' },
    error: { status: 'error', word: 'Error, stop blocked' },
  },
} as const satisfies Record<string, Record<string, { status: Status; word: string }>>

const selectVerdictLook = (one: ReportedVerdict) =>
  one.kind === 'call' ? LOOK.call[one.verdict] : LOOK.stop[one.verdict]

function boundText({ verdicts, verdictTotal }: SessionReport): string {
  return verdicts.length < verdictTotal
    ? `first ${countText(verdicts.length)} of ${countText(verdictTotal)}, as captured`
    : `${countText(verdictTotal)}, as captured`
}

export function ReportVerdicts({ report }: { readonly report: SessionReport }) {
  const { verdicts } = report
  return (
    <Card>
      <CardHeader title="Denied, blocked, bypassed, error" aside={boundText(report)} />
      {verdicts.length === 0 ? (
        <p className="p-3 text-text-2">All requested calls and stops were allowed.</p>
      ) : (
        <Table className="[&_tr]:break-inside-avoid">
          <thead>
            <tr>
              <HeadCell>Event</HeadCell>
              <HeadCell>Verdict</HeadCell>
              <HeadCell className="max-sm:hidden print:table-cell">What</HeadCell>
              <HeadCell>Reason</HeadCell>
              <HeadCell className="max-sm:hidden print:table-cell">Config</HeadCell>
              <HeadCell className="max-sm:hidden print:table-cell">At</HeadCell>
            </tr>
          </thead>
          <tbody>
            {verdicts.map((one) => (
              <VerdictRow key={one.id} one={one} />
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  )
}

function VerdictRow({ one }: { readonly one: ReportedVerdict }) {
  const { status, word } = selectVerdictLook(one)
  const href = one.kind === 'call' ? `/decisions/${one.id}` : `/stops/${one.id}`
  return (
    <Row data-verdict={one.verdict}>
      <Cell>
        <Link
          className="inline-flex min-h-6 items-center font-mono text-link text-mono"
          href={href}
        >
          #{one.seq}
        </Link>
      </Cell>
      <Cell>
        <StatusText status={status}>{word}</StatusText>
      </Cell>
      <Cell className="whitespace-normal break-words max-sm:hidden print:table-cell">
        <What one={one} />
      </Cell>
      <Cell className="whitespace-normal break-words">
        {one.reason}
        <span className="block text-small text-text-2 sm:hidden print:hidden [&_time]:whitespace-normal">
          <Timestamp at={one.at} />
        </span>
      </Cell>
      <Cell className="max-sm:hidden print:table-cell">
        {one.version === null ? '–' : `v${one.version}`}
      </Cell>
      <Cell className="max-sm:hidden print:table-cell">
        <Timestamp at={one.at} />
      </Cell>
    </Row>
  )
}

function What({ one }: { readonly one: ReportedVerdict }) {
  if (one.kind === 'stop') return viaText(one.via)
  return (
    <>
      <code className="font-mono text-mono">{one.tool}</code>
      {one.rule === '' ? null : <span className="block text-small text-text-2">{one.rule}</span>}
    </>
  )
}

// Every policy of the config and what it said of the call. All must allow; one that does not govern the call says so.
import Link from 'next/link'
import { CodedText } from '@/components/audit/coded-text.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { type Status, StatusText } from '@/components/ui/status-badge.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import type { DecisionAudit, PolicyRow } from '@/server/services/audit/decision-audit.ts'

const RESULT = {
  allow: { status: 'allowed', word: 'allows' },
  deny: { status: 'denied', word: 'Denies' },
  error: { status: 'error', word: 'Error, denies' },
  not_applicable: { status: 'not_evaluated', word: 'does not apply' },
  off: { status: 'not_evaluated', word: 'off' },
} as const satisfies Record<PolicyRow['result'], { status: Status; word: string }>

const CLASS = {
  rule_said_no: 'the rule said no',
  prerequisite_missing: 'a prerequisite is missing',
  could_not_evaluate: 'could not evaluate, so denied',
} as const

export function PolicyTable({ audit }: { readonly audit: DecisionAudit }) {
  const { rules, session, isConfigKnown } = audit
  return (
    <Card>
      <CardHeader title="Policies" aside="all must allow · each is evaluated" />
      {rules.length === 0 ? (
        <p className="p-3 text-text-2">
          {isConfigKnown
            ? 'The config has no policies, so every call is allowed.'
            : 'No policy had an opinion on this call.'}
        </p>
      ) : (
        <Table className="table-fixed">
          <thead>
            <tr>
              <HeadCell className="w-36 max-sm:w-28">Result</HeadCell>
              <HeadCell>Policy</HeadCell>
              <HeadCell>Why</HeadCell>
            </tr>
          </thead>
          <tbody>
            {rules.map((row) => (
              <PolicyRowView key={row.pointer} row={row} sessionId={session.id} />
            ))}
          </tbody>
        </Table>
      )}
      {isConfigKnown ? null : (
        <p className="px-3 pb-3 text-small text-text-3">
          The config version is not stored here, so policies without an opinion are not listed.
        </p>
      )}
    </Card>
  )
}

function PolicyRowView({
  row,
  sessionId,
}: {
  readonly row: PolicyRow
  readonly sessionId: string
}) {
  const { status, word } = RESULT[row.result]
  return (
    <Row className="align-top">
      <Cell>
        <StatusText status={status}>{word}</StatusText>
        {row.mode === 'shadow' ? (
          <span className="block text-small text-text-3">shadow</span>
        ) : null}
      </Cell>
      <Cell className="whitespace-normal break-words">
        <code className="font-mono text-mono">{row.rule}</code>{' '}
        <span className="text-small text-text-3">{row.type}</span>
        {row.text === null ? null : (
          <p className="text-small text-text-2">
            <CodedText text={row.text} />
          </p>
        )}
      </Cell>
      <Cell className="whitespace-normal break-words">
        {row.sentence}
        {row.reasonClass === null ? null : (
          <p className="text-small text-text-2">{CLASS[row.reasonClass]}</p>
        )}
        {row.because.length === 0 ? null : (
          <p className="text-small text-text-2">
            because of{' '}
            {row.because.map((seq, index) => (
              <span key={seq}>
                {index > 0 ? ', ' : ''}
                <Link className="text-link" href={`/sessions/${sessionId}?e=${seq}`}>
                  #{seq}
                </Link>
              </span>
            ))}
          </p>
        )}
      </Cell>
    </Row>
  )
}

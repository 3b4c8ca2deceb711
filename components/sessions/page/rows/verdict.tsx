import { Link } from '@/components/ui/link.tsx'
import { eventLook, MARK_CLASS, WORD_CLASS } from './event-look.ts'
import type { EventRow } from './session-rows.ts'

/** Null: the event decided nothing. */
export function explanationHref(sessionId: string, row: EventRow): string | null {
  const name = `${sessionId.replace(/^sess_/, '')}_${row.seq}`
  if (row.type === 'stop.decided') return `/stops/stop_${name}`
  return isDecision(row) ? `/decisions/dec_${name}` : null
}

/** The row decides a call or a stop. Null: there is no row. */
export function isDecision(row: EventRow | null): row is EventRow {
  return row !== null && ['tool.decided', 'content.decided', 'stop.decided'].includes(row.type)
}

/** Null: the event requests no call approval. The page later shows the outcome. */
function approvalHref(sessionId: string, { type, seq }: EventRow): string | null {
  if (type !== 'approval.requested') return null
  return `/call-approvals?call=apr_${sessionId.replace(/^sess_/, '')}_${seq}`
}

export function Verdict({
  sessionId,
  row,
}: {
  readonly sessionId: string
  readonly row: EventRow
}) {
  const { icon: Icon, word, tone } = eventLook(row)
  const href = explanationHref(sessionId, row)
  const approval = approvalHref(sessionId, row)
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-1.5">
        <Icon aria-hidden size={16} className={MARK_CLASS[tone]} />
        <span className={`font-semibold ${WORD_CLASS[tone]}`}>{word}</span>
        <span className="truncate font-mono text-mono">{row.subject}</span>
        {approval === null ? null : (
          <Link href={approval} className="ml-auto whitespace-nowrap text-link">
            Approval ›
          </Link>
        )}
        {href === null ? null : (
          <Link href={href} className="ml-auto whitespace-nowrap text-link">
            Why ›
          </Link>
        )}
      </div>
      {row.text === '' ? null : <p className="break-words text-text-2">{row.text}</p>}
      {row.nativeTool === null ? null : (
        <p className="break-words text-small text-text-2">
          The harness calls this tool <code className="font-mono text-mono">{row.nativeTool}</code>.
        </p>
      )}
    </div>
  )
}

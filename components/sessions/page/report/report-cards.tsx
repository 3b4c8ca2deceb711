import { countText, plural } from '@signalbox/core/analysis'
import { harnessText } from '@/components/enforcement/harness-text.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { Card, CardHeader, type KeyValue, KeyValueList } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { type Status, StatusText } from '@/components/ui/status-badge.tsx'
import { durationText, Timestamp } from '@/components/ui/time.tsx'
import type { SessionReport } from '@/server/explanations/session-report.ts'
import type { FeedbackCount } from '@/server/explanations/session-report-facts.sql.ts'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import { describeEnd } from '../../activity.ts'

function EndValue({ session }: { readonly session: SessionHead }) {
  const { endedAt, startedAt, status, lastEventAt } = session
  if (endedAt === null) {
    return (
      <>
        {status === 'lost' ? 'lost' : 'still running'}, newest event <Timestamp at={lastEventAt} />
      </>
    )
  }
  return (
    <>
      <Timestamp at={endedAt} /> · {describeEnd(session)} after {durationText(endedAt - startedAt)}
    </>
  )
}

function ConfigValue({ session }: { readonly session: SessionHead }) {
  const { ns, key, configVersion, configDigest, taken } = session
  return (
    <>
      <Link className="font-mono text-link text-mono" href={configPath(session.ns, session.key)}>
        {ns}/{key}
        {configVersion === null ? '' : `@v${configVersion}`}
      </Link>
      {configDigest === null
        ? ', none was in force'
        : configVersion === null
          ? ', version not recorded'
          : ''}
      {taken === null ? null : (
        <>
          , from #{taken.seq} on{' '}
          {taken.version === null ? taken.digest.slice(0, 15) : `v${taken.version}`}
        </>
      )}
    </>
  )
}

function tokensText({ tokensUsed, tokenLimit }: SessionHead): string {
  const used = countText(tokensUsed)
  return tokenLimit === null ? `${used}, no limit set` : `${used} of ${countText(tokenLimit)}`
}

export function SessionCard({ session }: { readonly session: SessionHead }) {
  const { id, environment, harness, runtimeName, startedAt, deadlineAt } = session
  const items: readonly KeyValue[] = [
    { name: 'Session', value: <code className="break-all font-mono text-mono">{id}</code> },
    { name: 'Config', value: <ConfigValue session={session} /> },
    { name: 'Environment', value: environment },
    { name: 'Harness', value: harnessText(harness) },
    { name: 'Runtime', value: runtimeName ?? 'not named' },
    { name: 'Started', value: <Timestamp at={startedAt} /> },
    { name: 'Ended', value: <EndValue session={session} /> },
    { name: 'Deadline', value: deadlineAt === null ? 'none set' : <Timestamp at={deadlineAt} /> },
    { name: 'Tokens', value: tokensText(session) },
  ]
  return (
    <Card>
      <CardHeader title="Session" aside="as captured" />
      <KeyValueList className="p-3" items={items} />
    </Card>
  )
}

export function CountsCard({ report }: { readonly report: SessionReport }) {
  const { session, counts, stops } = report
  const of = (verdict: string): string =>
    countText(counts.find((one) => one.kind === 'call' && one.verdict === verdict)?.count ?? 0)
  const items: readonly KeyValue[] = [
    { name: 'Events', value: countText(session.maxSeq) },
    { name: 'Calls', value: countText(session.calls) },
    { name: 'Denied', value: `${of('denied')} (${of('error')} because of an error)` },
    { name: 'Stops', value: stops },
    {
      name: 'Feedback',
      value: `${countText(session.feedback)} (${plural(session.warnings, 'warning')})`,
    },
  ]
  return (
    <Card>
      <CardHeader title="Counts" aside="computed" />
      <KeyValueList className="p-3" items={items} />
    </Card>
  )
}

const SEVERITY: Readonly<Record<string, Status>> = {
  info: 'info',
  caution: 'caution',
  warning: 'warning',
}

export function FeedbackCard({ report }: { readonly report: SessionReport }) {
  const { feedback, isFeedbackCut, record } = report
  return (
    <Card>
      <CardHeader
        title="Feedback"
        aside={isFeedbackCut ? `the ${feedback.length} most frequent` : 'as captured'}
      />
      {feedback.length === 0 ? (
        <p className="p-3 text-text-2">{record === null ? 'No longer stored.' : 'No feedback.'}</p>
      ) : (
        <ul className="flex flex-col gap-1 p-3">
          {feedback.map((one) => (
            <FeedbackItem
              key={`${one.severity} ${one.name}`}
              one={one}
              sessionId={report.session.id}
            />
          ))}
        </ul>
      )}
    </Card>
  )
}

function FeedbackItem({
  one: { name, severity, count, firstSeq, lastSeq },
  sessionId,
}: {
  readonly one: FeedbackCount
  readonly sessionId: string
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-2">
      <StatusText status={SEVERITY[severity] ?? 'unknown'} />
      <span className="min-w-0 break-words">{name}</span>
      <span className="text-small text-text-2">
        {countText(count)}, first <EventLink sessionId={sessionId} seq={firstSeq} />, last{' '}
        <EventLink sessionId={sessionId} seq={lastSeq} />
      </span>
    </li>
  )
}

function EventLink({ sessionId, seq }: { readonly sessionId: string; readonly seq: number }) {
  return (
    <Link
      className="inline-flex min-h-6 items-center text-link"
      href={`/sessions/${sessionId}?e=${seq}`}
    >
      #{seq}
    </Link>
  )
}

const MOST_STEPS = 200

export function PlanCard({ plan }: Pick<SessionReport, 'plan'>) {
  if (plan === null) {
    return (
      <Card>
        <CardHeader title="Plan at the end" />
        <p className="p-3 text-text-2">No plan, or it is no longer stored.</p>
      </Card>
    )
  }
  const { steps, seq, at } = plan
  const bound =
    steps.length > MOST_STEPS ? `, first ${MOST_STEPS} of ${plural(steps.length, 'step')}` : ''
  return (
    <Card>
      <CardHeader
        title="Plan at the end"
        aside={
          <>
            as of #{seq}, <Timestamp at={at} style="second" />
            {bound}
          </>
        }
      />
      <ol className="list-inside list-decimal p-3">
        {steps.slice(0, MOST_STEPS).map(({ title, status }, index) => {
          const key = `${index} ${title}`
          return (
            <li key={key} className="break-words">
              {title}{' '}
              <span className="text-small text-text-2">
                {status?.replaceAll('_', ' ') ?? 'no status'}
              </span>
            </li>
          )
        })}
      </ol>
    </Card>
  )
}

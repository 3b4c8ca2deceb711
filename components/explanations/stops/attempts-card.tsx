import { plural } from '@signalbox/core/analysis'
import { Card, CardHeader, KeyValueList } from '@/components/ui/card.tsx'
import { InfoPopover } from '@/components/ui/info-popover.tsx'
import { Link } from '@/components/ui/link.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { Words } from '@/components/ui/words.tsx'
import type { ChainedAttempt } from '@/server/explanations/attempt-chain.ts'
import type { StopExplanation } from '@/server/explanations/stop-explanation.ts'
import { attemptText, stopHeadline } from '../stop-headline.ts'
import { ProgressText } from '../stop-progress.tsx'

const PROGRESS = [
  ['progressing', 'refused, and something changed since the previous attempt'],
  [
    'no progress in 2 attempts',
    'refused twice in a row for the same open work, and no call succeeded in between',
  ],
  ['waiting on running calls', 'refused while a call had no result yet'],
  ['1 block left', 'refused, and a stop is allowed after one more block'],
  ['bypassed', 'allowed although incomplete, because the limit on blocked stops was reached'],
  [
    'final verification',
    'made after the agent ended; it blocks nothing, so open work makes it incomplete',
  ],
] as const

export function AttemptsCard({ explanation }: { readonly explanation: StopExplanation }) {
  const { attempts, stop } = explanation
  const tried = attempts.filter((attempt) => attempt.stop.via !== 'final').length
  const final = tried < attempts.length ? ' and the final verification' : ''
  return (
    <Card>
      <CardHeader
        title="All attempts in this session"
        aside={`${plural(tried, 'attempt')}${final}`}
        actions={
          <InfoPopover
            term="progress"
            page="/docs/specs/completion"
            more={
              <KeyValueList
                className="mt-2"
                items={PROGRESS.map(([name, value]) => ({ name, value }))}
              />
            }
          >
            The word beside an attempt shows the agent’s progress since the previous attempt.
          </InfoPopover>
        }
      />
      <ol className="flex flex-col gap-1 p-3">
        {attempts.map((attempt) => (
          <Attempt key={attempt.stop.id} attempt={attempt} isThis={attempt.stop.id === stop.id} />
        ))}
      </ol>
    </Card>
  )
}

function Attempt({
  attempt,
  isThis,
}: {
  readonly attempt: ChainedAttempt
  readonly isThis: boolean
}) {
  const { stop, progress, since, checked } = attempt
  const { status, word } = stopHeadline(stop, checked)
  const name = attemptText(stop)
  return (
    <li className="flex flex-col">
      <div className="flex min-h-6 flex-wrap items-center gap-x-2">
        <StatusIcon status={status} />
        {isThis ? (
          <span aria-current="true" className="whitespace-nowrap font-medium">
            {name} <span className="font-normal text-small text-text-2">· this one</span>
          </span>
        ) : (
          <Link className="whitespace-nowrap text-link" href={`/stops/${stop.id}`}>
            {name}
          </Link>
        )}
        <span className="sr-only">{word}</span>
        <Timestamp at={stop.at} style="second" />
        {progress === null ? null : (
          <span className="ml-auto text-small">
            <ProgressText progress={progress} />
          </span>
        )}
      </div>
      <p className="break-words pl-[22px] text-small text-text-2">{stop.reason}</p>
      {since === null ? null : <Since since={since} />}
    </li>
  )
}

const MOST_TOOLS = 4

function callsText(calls: NonNullable<ChainedAttempt['since']>['calls']): string {
  const total = calls.reduce((sum, { calls: n }) => sum + n, 0)
  if (total === 0) return 'no calls in between'
  const shown = calls.slice(0, MOST_TOOLS).map(({ tool, succeeded, calls: n }) => {
    const failed = n - succeeded
    return `${tool} ×${n}${failed === 0 ? '' : ` (${failed} without success)`}`
  })
  const more =
    calls.length > MOST_TOOLS ? ` and ${plural(calls.length - MOST_TOOLS, 'more tool')}` : ''
  return `${plural(total, 'call')} in between: ${shown.join(', ')}${more}`
}

function Since({ since }: { readonly since: NonNullable<ChainedAttempt['since']> }) {
  const { changes, calls, configChanged } = since
  const lines = [
    ...(configChanged ? ['another config version was in force'] : []),
    ...(changes.length > 0 ? changes : ['no check changed']),
    callsText(calls),
  ]
  return (
    <ul className="list-disc pl-9 text-small text-text-2">
      {lines.map((line) => (
        <li key={line} className="break-words">
          <Words text={line} />
        </li>
      ))}
    </ul>
  )
}

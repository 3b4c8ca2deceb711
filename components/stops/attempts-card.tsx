// All stop attempts of the session and its final check, so that one sees what changed between them.
import Link from 'next/link'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { StopAudit } from '@/server/services/audit/stop-audit.ts'
import { attemptText, stopHeadline } from './stop-headline.ts'

export function AttemptsCard({ audit }: { readonly audit: StopAudit }) {
  const { attempts, stop } = audit
  return (
    <Card>
      <CardHeader title="All attempts in this session" />
      <ol className="flex flex-col p-3">
        {attempts.map((attempt) => {
          const { status, word } = stopHeadline(attempt)
          const isThis = attempt.id === stop.id
          return (
            <li key={attempt.id} className="flex min-h-7 items-center gap-x-2">
              <StatusIcon status={status} />
              {isThis ? (
                <span aria-current="true" className="whitespace-nowrap">
                  {attemptText(attempt)}
                </span>
              ) : (
                <Link className="whitespace-nowrap text-link" href={`/stops/${attempt.id}`}>
                  {attemptText(attempt)}
                </Link>
              )}
              <span className="sr-only">{word}</span>
              <Timestamp at={attempt.at} style="clock" />
              <span
                className="ml-auto min-w-0 truncate text-small text-text-2"
                title={attempt.reason}
              >
                {attempt.reason}
              </span>
              {isThis ? (
                <span className="whitespace-nowrap text-small text-text-2">· this one</span>
              ) : null}
            </li>
          )
        })}
      </ol>
    </Card>
  )
}

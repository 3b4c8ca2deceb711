'use client'

import { plural } from '@signalbox/core/analysis'
import { describeUnused } from '@/components/labels/sample-words.ts'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import type { StoredFindings } from '@/server/prevention/preventions.sql.ts'
import { ChangeCard } from './change-card.tsx'

export function PreventionFindings({
  id,
  findings,
  isRunning,
}: {
  readonly id: string
  readonly findings: StoredFindings
  readonly isRunning: boolean
}) {
  const { candidates, nearMisses, noAnswer, isCut, otherBad } = findings
  return (
    <div className="flex max-w-[60rem] flex-col gap-3 p-4">
      {noAnswer === null ? null : (
        <p className="rounded-card border border-caution-bd bg-caution-bg px-3 py-2 text-caution-fg">
          {noAnswer}
        </p>
      )}
      {candidates.map((change, i) => (
        <ChangeCard
          key={change.sentence}
          {...{ change, otherBad }}
          take={{ id, candidate: i + 1 }}
        />
      ))}
      {nearMisses.length === 0 ? null : (
        <Card>
          <CardHeader
            title="Near misses"
            aside="they refuse something in a few good sessions: check whether those were good"
          />
          <div className="flex flex-col gap-3 p-3">
            {nearMisses.map((change) => (
              <ChangeCard key={change.sentence} {...{ change, otherBad }} take={null} />
            ))}
          </div>
        </Card>
      )}
      <Sample findings={findings} />
      {isCut && !isRunning ? (
        <p className="text-small text-text-2">The search ended early. More changes may exist.</p>
      ) : null}
    </div>
  )
}

function Sample({ findings: { goodSessions, uses, days } }: { readonly findings: StoredFindings }) {
  return (
    <p className="text-small text-text-2">
      {`From ${plural(goodSessions, 'good session')} in the ${days} days before the search.${describeUnused(uses)} A change that refuses this does not make agents safe: they can cause the same harm with another call.`}
    </p>
  )
}

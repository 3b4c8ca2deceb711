// Computed, never part of the record.
'use client'

import { plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { parseAsBoolean, useQueryState } from 'nuqs'
import { Fragment } from 'react'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { Words } from '@/components/ui/words.tsx'
import type { LiveVerdict } from '@/server/explanations/live-verdict.ts'
import type { ComputedStop, StopExplanation } from '@/server/explanations/stop-explanation.ts'

export function CounterfactualCard({ explanation }: { readonly explanation: StopExplanation }) {
  const { stop, computed, config } = explanation
  const isRefused = stop.verdict === 'blocked' || stop.verdict === 'error'
  const isOther =
    config !== null && config.liveNumber !== null && config.liveDigest !== config.digest
  if (!(isRefused && computed !== null) && !isOther) return null
  return (
    <Card>
      <CardHeader title="What would have allowed it" aside="computed now, not part of the record" />
      <div className="flex flex-col gap-2 p-3">
        {isRefused && computed !== null ? (
          <Least computed={computed} explanation={explanation} />
        ) : null}
        {isOther && config.liveNumber !== null ? (
          <Live explanation={explanation} version={config.liveNumber} />
        ) : null}
      </div>
    </Card>
  )
}

function Least({
  computed,
  explanation,
}: {
  readonly computed: ComputedStop
  readonly explanation: StopExplanation
}) {
  const { unblock, releasing } = computed
  const steps = unblock.steps.length
  const some = `${steps === 1 ? 'the step' : steps === 2 ? 'both steps' : `all ${plural(steps, 'step')}`} above`
  const version = explanation.config === null ? 'the same config' : `v${explanation.config.number}`
  return (
    <>
      <p>
        {unblock.isVerified
          ? `If ${some} had been done before #${explanation.stop.attemptedSeq}, ${version} would have allowed this stop (replayed).`
          : unblock.attainable
            ? `It is not proven that ${some} would be enough: another party’s answer or arguments decide.`
            : `The agent could not have unblocked this stop under ${version}.`}
        {unblock.steps
          .filter(({ code }) => code === 'checker.mend')
          .map(({ text }) => (
            <Fragment key={text}>
              {' '}
              <Words text={text} />.
            </Fragment>
          ))}
        {unblock.isSmallest
          ? ''
          : ' A shorter list of steps may exist; the search stopped at its limit.'}
      </p>
      {releasing.length === 0 ? null : (
        <p>
          Without the {releasing.length === 1 ? 'check' : 'checks, any one of them,'}{' '}
          <Words text={releasing.map((id) => `\`${id}\``).join(', ')} /> it would have been allowed.
        </p>
      )}
    </>
  )
}

function Live({
  explanation,
  version,
}: {
  readonly explanation: StopExplanation
  readonly version: number
}) {
  const trpc = useTRPC()
  const [isAsked, setAsked] = useQueryState('live', parseAsBoolean.withDefault(false))
  const query = useQuery(
    trpc.stops.underLive.queryOptions(
      { stopId: explanation.stop.id },
      { enabled: isAsked, staleTime: Number.POSITIVE_INFINITY },
    ),
  )
  if (!isAsked) {
    return (
      <p className="no-print">
        <Button onClick={() => void setAsked(true)}>
          Compute with v{version}, which is live in {explanation.stop.environment}
        </Button>
      </p>
    )
  }
  if (query.error !== null) return <p role="alert">Not computed: {query.error.message}</p>
  return (
    <p role="status">
      {query.data === undefined ? (
        `Computing with v${version}…`
      ) : (
        <LiveText verdict={query.data} explanation={explanation} />
      )}
    </p>
  )
}

const OUTCOME = {
  same: 'the same verdict',
  released: 'it would have been allowed',
  blocked: 'it would have been blocked',
} as const

function LiveText({
  verdict,
  explanation,
}: {
  readonly verdict: LiveVerdict
  readonly explanation: StopExplanation
}) {
  if (verdict.kind === 'not_computed') return <>Not computed. {verdict.why}</>
  const { version, outcome, sentence, partedAt } = verdict
  return (
    <>
      Computed now with v{version}: {OUTCOME[outcome]}
      {sentence === null ? '' : ` (${sentence})`}.{' '}
      {partedAt === null ? (
        'Exact: everything that the agent saw before this would have been the same.'
      ) : (
        <>
          A guess: from{' '}
          <Link
            className="text-link underline"
            href={`/sessions/${explanation.session.id}?e=${partedAt}`}
          >
            #{partedAt}
          </Link>{' '}
          on, the agent would have received something else.
        </>
      )}
    </>
  )
}

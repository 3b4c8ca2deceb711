// Ways to unblock a stop: the smallest set of steps, the owner of each, and other ways in which the wait can end.
import { plural } from '@signalbox/core/analysis'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { Countdown, durationText } from '@/components/ui/time.tsx'
import { Words } from '@/components/ui/words.tsx'
import type { StopExplanation } from '@/server/explanations/stop-explanation.ts'
import { OWNER_WORD } from '../step-owner.ts'
import { notStoredText } from './not-stored.ts'

type Step = NonNullable<StopExplanation['computed']>['unblock']['steps'][number]

/** Finds the plan step of an unblocking step: core puts its title in quotation marks. */
function findPlanStep(step: Step, explanation: StopExplanation) {
  const title = /“(.*)”$/s.exec(step.text)?.[1]
  if (step.code !== 'plan.finish_step' || title === undefined) return null
  return explanation.evidence?.plan?.find((planned) => planned.title === title) ?? null
}

function sinceText(planned: NonNullable<ReturnType<typeof findPlanStep>>): string {
  if (planned.status === null || planned.status === 'pending') return 'never started'
  return `${planned.status.replaceAll('_', ' ')} since #${planned.since}`
}

export function UnblockCard({ explanation }: { readonly explanation: StopExplanation }) {
  const { computed, stop } = explanation
  const unblock = computed?.unblock.steps ?? null
  const isOpen = stop.verdict === 'blocked' || stop.verdict === 'error'
  return (
    <Card>
      <CardHeader
        title={isOpen ? 'What would unblock it' : 'Remaining steps'}
        aside={
          computed?.unblock.attainable === false ? 'not possible under this config' : undefined
        }
      />
      <div className="p-3">
        {stop.verdict === 'no_checker' ? (
          <p className="text-text-2">Nothing was checked, so the agent has nothing to do.</p>
        ) : unblock === null ? (
          <NotComputed explanation={explanation} />
        ) : unblock.length === 0 ? (
          <p className="text-text-2">Nothing: every check was satisfied.</p>
        ) : (
          <ol className="flex flex-col gap-2">
            {unblock.map((step, index) => (
              <UnblockItem key={step.text} step={step} index={index} explanation={explanation} />
            ))}
          </ol>
        )}
        {isOpen ? <OtherEndings explanation={explanation} /> : null}
      </div>
    </Card>
  )
}

/** Without the config nothing can be computed, but the record contains the open plan steps. */
function NotComputed({ explanation }: { readonly explanation: StopExplanation }) {
  const open =
    explanation.stop.code === 'plan.open_steps'
      ? explanation.evidence?.plan?.filter(({ status }) => status !== 'done')
      : undefined
  return (
    <>
      <p className="text-text-2">
        {explanation.removed === null
          ? 'Not computed: the config version or the attempt of this stop is not stored here.'
          : notStoredText(explanation)}
        {open === undefined ? '' : ' Open plan steps in the record:'}
      </p>
      {open === undefined ? null : (
        <ol className="mt-1 list-inside list-decimal">
          {open.map(({ number, title }) => (
            <li key={number}>{title}</li>
          ))}
        </ol>
      )}
    </>
  )
}

function UnblockItem({
  step,
  index,
  explanation,
}: {
  readonly step: Step
  readonly index: number
  readonly explanation: StopExplanation
}) {
  const planned = findPlanStep(step, explanation)
  const since = planned?.since ?? step.since
  return (
    <li className="flex items-baseline gap-2">
      <span className="font-mono text-mono text-text-3">{index + 1}</span>
      <span className="min-w-0 flex-1 break-words">
        <Words text={step.text} />{' '}
        <span className="ml-1 text-small text-text-2">
          {OWNER_WORD[step.owner]}
          {planned === null ? '' : ` · ${sinceText(planned)}`}
          {step.obstacle === null ? '' : ' · problem: '}
          {step.obstacle === null ? null : <Words text={step.obstacle} />}
        </span>
      </span>
      {planned === null || since === null ? null : (
        <Link
          className="whitespace-nowrap text-link"
          href={`/sessions/${explanation.session.id}?e=${since}`}
        >
          plan step {planned.number}
        </Link>
      )}
    </li>
  )
}

function OtherEndings({ explanation }: { readonly explanation: StopExplanation }) {
  const { evidence, session, stop, record, computed } = explanation
  const deadlineAt = evidence?.deadlineAt ?? null
  const isRunning = session.status === 'running'
  const others = computed?.unblock.steps.filter(({ owner }) => owner !== 'agent') ?? null
  const left =
    computed === null || record === null
      ? null
      : Math.max(0, computed.maxBlocks - record.priorBlocks - 1)
  return (
    <p className="mt-2 text-small text-text-2">
      {deadlineAt === null ? null : (
        <>
          The deadline also unblocks the stop, without checks:{' '}
          {isRunning ? (
            <Countdown until={deadlineAt} />
          ) : (
            `${durationText(Math.max(0, deadlineAt - stop.at))} later`
          )}
          .{' '}
        </>
      )}
      {left === null ? null : `${blocksText(left, isRunning)} `}
      {others === null || others.length > 0 ? null : 'The agent can take every step itself.'}
    </p>
  )
}

function blocksText(left: number, isRunning: boolean): string {
  if (!isRunning) {
    return left === 0
      ? 'The next stop would have been allowed even if checks failed.'
      : `${plural(left, 'blocked stop')} remained before a bypass.`
  }
  if (left === 0) return 'The next stop will be allowed even if checks fail.'
  return `After ${plural(left, 'more blocked stop')}, the next one will be allowed.`
}

import { countText, plural } from '@signalbox/core/analysis'
import type { ReactNode } from 'react'
import { Card } from '@/components/ui/card.tsx'
import { type Status, StatusIcon } from '@/components/ui/status-badge.tsx'
import { durationText, Timestamp } from '@/components/ui/time.tsx'
import type { Adoption } from '@/server/releases/adoption.ts'
import type { ReleaseDetail } from '@/server/releases/release-pages.ts'
import { MOST_SESSIONS } from '@/server/releases/releases.list.ts'
import type { RolloutView } from '@/server/staged-rollouts/staged-rollout-overview.ts'
import { findHolder } from './runtime-table.tsx'
import { adoptionSentence } from './standing-words.ts'
import { countTowardsVerdict, describeVerdict } from './verdict-words.ts'

interface StepText {
  readonly status: Status
  readonly title: string
  readonly detail: ReactNode
}

type ReleaseCourse = Pick<
  ReleaseDetail,
  'createdAt' | 'previousVersion' | 'appliedCount' | 'successor' | 'sessions'
>

const WAITING: Status = 'not_evaluated'

function describeAdoption(release: ReleaseCourse, adoption: Adoption | undefined): StepText {
  if (adoption === undefined) return { status: WAITING, title: 'Applied', detail: '\u00a0' }
  const { status, total, lastApplied, runtimes, createdAt } = adoption
  const { appliedCount, successor } = release
  if (successor !== null) {
    return {
      status: appliedCount === 0 ? WAITING : 'passed',
      title: `Applied by ${plural(appliedCount, 'runtime')}`,
      detail: `before v${successor.version} replaced it`,
    }
  }
  if (lastApplied !== null) {
    return {
      status: 'passed',
      title: `Applied by ${plural(appliedCount, 'runtime')}`,
      detail: '0 connected now',
    }
  }
  const title = adoptionSentence(adoption)
  if (total === 0)
    return { status: 'unclaimed', title, detail: 'none that hosts this prompt is connected' }
  if (status === 'live') {
    const last = Math.max(...runtimes.map(({ appliedAt }) => appliedAt ?? createdAt))
    const detail = last > createdAt ? `all after ${durationText(last - createdAt)}` : 'all of them'
    return { status: 'passed', title, detail }
  }
  const holder = findHolder(adoption)
  const others = total - adoption.applied - 1
  const more = others > 0 ? ` · ${others} more to go` : ''
  const verb = holder?.state === 'rejected' ? 'rejected it' : 'has not applied it'
  return {
    status: adoption.isLate || status === 'partial' ? 'partial' : 'applying',
    title,
    detail: holder === null ? `${others + 1} to go` : `${holder.name} ${verb}${more}`,
  }
}

function describeSessions({ sessions, createdAt, successor }: ReleaseCourse): StepText {
  const { firstAt, count } = sessions
  if (firstAt === null) {
    return {
      status: WAITING,
      title: 'First session',
      detail: successor === null ? 'none has begun with it yet' : 'none began with it',
    }
  }
  const isSameDay = new Date(firstAt).toDateString() === new Date(createdAt).toDateString()
  const many = count >= MOST_SESSIONS ? `${countText(MOST_SESSIONS)}+` : countText(count)
  return {
    status: 'passed',
    title: 'First session',
    detail: (
      <>
        <Timestamp at={firstAt} style={isSameDay ? 'time' : 'row'} /> · {many} since the release
      </>
    ),
  }
}

function describeMonitoring(
  { previousVersion }: ReleaseCourse,
  watch: RolloutView | null | undefined,
): StepText {
  const title = 'Monitoring'
  if (watch === undefined) return { status: WAITING, title, detail: '\u00a0' }
  if (watch === null) {
    const detail = previousVersion === null ? 'No earlier version to compare with' : 'Not monitored'
    return { status: WAITING, title, detail }
  }
  const verdict = describeVerdict(watch)
  const { minSessions } = watch.guard
  const progress =
    watch.state === 'running' ? ` · ${countTowardsVerdict(watch.guard)} of ${minSessions}` : ''
  return { status: verdict.status, title, detail: `${verdict.title}${progress}` }
}

/** The four steps of a release, each with its state. */
export function ReleaseSteps({
  release,
  adoption,
  watch,
}: {
  readonly release: ReleaseCourse
  /** Undefined: not loaded. */
  readonly adoption: Adoption | undefined
  /** Null: not monitored. Undefined: not loaded. */
  readonly watch: RolloutView | null | undefined
}) {
  const { createdAt, previousVersion } = release
  const replaced =
    previousVersion === null ? 'the first version here' : `replaced v${previousVersion}`
  const steps: readonly StepText[] = [
    {
      status: 'passed',
      title: 'Released',
      detail: (
        <>
          <Timestamp at={createdAt} style="time" /> · {replaced}
        </>
      ),
    },
    describeAdoption(release, adoption),
    describeSessions(release),
    describeMonitoring(release, watch),
  ]
  return (
    <Card>
      <ol
        aria-label="State of the release"
        className="grid lg:grid-cols-[1fr_1.25fr_1.1fr_1.1fr] sm:max-lg:grid-cols-2"
      >
        {steps.map(({ status, title, detail }) => (
          <li
            key={title}
            className="flex min-w-0 gap-2 border-border px-3 py-2.5 leading-snug max-lg:border-b lg:border-r last:border-0"
          >
            <span className="pt-px">
              <StatusIcon status={status} size={16} />
            </span>
            <span className="min-w-0">
              <span className="block font-semibold">{title}</span>
              <span className="block break-words text-small text-text-2">{detail}</span>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

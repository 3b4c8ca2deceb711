'use client'
// What a publish and a promotion ask alike: when, to whom, which gates are ticked, note and name; and how both screens show it.
import { type ReactNode, useState } from 'react'
import { ErrorLine } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { Asking } from '@/server/releases/release-gates.ts'
import type { ReleaseReview } from '@/server/releases/release-review.ts'
import type { Subject } from '@/server/releases/release-subject.ts'
import { Affected } from './affected.tsx'
import { GateAction, type ReviewedPlace } from './gate-action.tsx'
import { GateList } from './gate-list.tsx'
import { type Gate, isReady } from './gates.ts'
import {
  type Reach,
  ReachSelect,
  ReachTerms,
  reachHindrance,
  TO_ALL,
  termsOf,
} from './reach-fields.tsx'
import {
  type Demands,
  NO_WORDS,
  ReleaseFields,
  type ReleaseWords,
  saidOf,
} from './release-fields.tsx'
import { NOW, type ReleaseTime, ReleaseTimeFields, useChosenInstant } from './release-time.tsx'
import { TightenOffer } from './tighten-offer.tsx'
import { toggled } from './toggled.ts'

export interface ReleaseForm {
  readonly words: ReleaseWords
  readonly setWords: (words: ReleaseWords) => void
  readonly acknowledged: readonly Asking[]
  readonly acknowledge: (id: string, ticked: boolean) => void
  readonly time: ReleaseTime
  readonly setTime: (time: ReleaseTime) => void
  /** Running sessions take the version at once. */
  readonly tighten: boolean
  readonly setTighten: (tighten: boolean) => void
  /** The instant chosen; null for now, or while none is chosen. */
  readonly due: { readonly dueAt: number; readonly zone: string } | null
  /** Whom it reaches at first; all of them while nothing else can be chosen. */
  readonly reach: Reach
  readonly setReach: (reach: Reach) => void
  /** Why nothing else can be chosen; null when it can. */
  readonly reachHindrance: string | null
}

/** `first`: whom it reaches as long as nobody chose otherwise. */
export function useReleaseForm(
  place: { readonly environment: string; readonly live: number | null },
  first: Reach = TO_ALL,
): ReleaseForm {
  const [words, setWords] = useState(NO_WORDS)
  const [acknowledged, setAcknowledged] = useState<readonly Asking[]>([])
  const [time, setTime] = useState(NOW)
  const [tighten, setTighten] = useState(false)
  const [chosen, setReach] = useState(first)
  const due = useChosenInstant(time)
  const hindrance = reachHindrance({ ...place, isLater: time.isLater })
  const reach = hindrance === null ? chosen : TO_ALL
  return {
    ...{ words, setWords, acknowledged, time, setTime, tighten, setTighten, due },
    ...{ reach, setReach, reachHindrance: hindrance },
    acknowledge: (id, ticked) => setAcknowledged(toggled(acknowledged, id, ticked)),
  }
}

/** Whether the button may be pressed. */
export function mayRelease(form: ReleaseForm, gates: readonly Gate[]): boolean {
  return isReady(gates) && (!form.time.isLater || form.due !== null)
}

/** What the server is asked with. */
export function wordsOf({ words, acknowledged, tighten, time, reach }: ReleaseForm) {
  // Which sessions will run at a later time is not known, and a share of new ones concerns none that runs.
  const tightens = tighten && !time.isLater && reach.kind !== 'staged'
  return {
    ...saidOf(words),
    ...{ acknowledged: [...acknowledged], tighten: tightens },
    ...termsOf(reach),
  }
}

/** A roll back may say why, and need not. */
const NOTHING_ASKED = { requiresNote: false, requiresTypedName: false } as const

export function ReleaseBody({
  form,
  gates,
  place,
  demands,
  above,
  review,
  subject,
  actionOf,
  running,
  live,
  problems,
  children,
}: {
  readonly form: ReleaseForm
  readonly gates: readonly Gate[]
  readonly place: ReviewedPlace
  /** Null: nothing is asked for, as at a roll back. */
  readonly demands: Demands | null
  /** Stands before the time. */
  readonly above?: ReactNode
  readonly review: ReleaseReview | null
  readonly subject: () => Promise<Subject | null>
  /** What only the screen itself can do about a gate; null leaves it to the server's. */
  readonly actionOf?: (gate: Gate) => ReactNode
  /** Sessions of the config that run there now, and the version that they keep. */
  readonly running?: number
  readonly live?: number | null
  readonly problems: readonly (string | null | undefined)[]
  /** What changes. */
  readonly children: ReactNode
}) {
  const { words, acknowledged, time } = form
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start gap-3">
        {above}
        {demands !== null && (
          <>
            <ReleaseTimeFields time={time} onChange={form.setTime} />
            <ReachSelect
              reach={form.reach}
              hindrance={form.reachHindrance}
              onChange={form.setReach}
            />
          </>
        )}
      </div>
      {demands !== null && live != null && (
        <ReachTerms reach={form.reach} live={live} onChange={form.setReach} />
      )}
      {gates.length > 0 && (
        <GateList
          gates={gates}
          acknowledged={acknowledged}
          onAcknowledge={form.acknowledge}
          actionOf={(gate) =>
            actionOf?.(gate) ??
            (review !== null && (
              <GateAction {...{ gate, place, review, subject }} note={words.note} />
            ))
          }
        />
      )}
      {children}
      {review !== null && (
        <Affected
          review={review}
          environment={place.environment}
          running={running ?? 0}
          live={live ?? null}
        />
      )}
      {review !== null && !time.isLater && form.reach.kind !== 'staged' && (
        <TightenOffer
          tightening={review.tightening}
          isChosen={form.tighten}
          onChoose={form.setTighten}
        />
      )}
      <ReleaseFields
        demands={demands ?? { name: place.environment, ...NOTHING_ASKED }}
        words={words}
        onChange={form.setWords}
      />
      {problems.map(
        (message) =>
          message !== null &&
          message !== undefined && <ErrorLine key={message}>{message}</ErrorLine>,
      )}
    </div>
  )
}

/** Said once a release is planned rather than made. */
export function Planned({
  what,
  environment,
  dueAt,
}: {
  readonly what: string
  readonly environment: string
  readonly dueAt: number
}) {
  return (
    <p role="status">
      {what} is released to {environment} at <Timestamp at={dueAt} style="second" />, if every gate
      lets it through then. Until that time it is listed under Releases.
    </p>
  )
}

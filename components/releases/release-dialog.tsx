'use client'
// A rollback needs only a confirmation.
import { useStore } from '@tanstack/react-form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import type { z } from 'zod'
import {
  FormProblem,
  RefusedInput,
  submitForm,
  useServerForm,
} from '@/components/kit/form/form.tsx'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { Timestamp, useZone } from '@/components/ui/time.tsx'
import {
  ASKING,
  type Asking,
  DueInput,
  PLAN_GOES_TO_ALL,
  ReleaseInput,
} from '@/server/releases/release-input.ts'
import type { MadeRelease } from '@/server/releases/release-outcome.ts'
import type { PlaceName } from '@/server/releases/release-place.ts'
import type { ReleaseReview } from '@/server/releases/release-review.ts'
import type { Subject } from '@/server/releases/release-subject.ts'
import { Affected } from './affected.tsx'
import { GateAction } from './gate-action.tsx'
import { GateList } from './gate-list.tsx'
import { headline, type ShownGate, showGates } from './gates.ts'
import { type Reach, ReachSelect, ReachTerms, TO_ALL, toReachTerms } from './reach-fields.tsx'
import {
  type Demands,
  NO_WORDS,
  ReleaseWordFields,
  toRefusedInput,
  toReleaseWords,
  WORD_FIELDS,
} from './release-fields.tsx'
import { nameContent, releaseText } from './release-text.ts'
import { computeDue, NOW, type ReleaseTime, ReleaseTimeFields } from './release-time.tsx'
import { Released } from './released.tsx'
import { TightenOffer } from './tighten-offer.tsx'
import { useReview } from './use-review.ts'

export interface ReleaseDialogProps {
  readonly kind: 'publish' | 'promote' | 'rollback'
  readonly prompt: { readonly ns: string; readonly key: string }
  /** `live`: number of the live version that the user sees; null: none. */
  readonly environment: Demands & { readonly live: number | null }
  /** Number of the version; null: a draft. */
  readonly version: number | null
  /** Identifies the content in the query cache: a digest, a text or a version. */
  readonly content: string
  /** Null: the subject could not be saved. */
  readonly subject: () => Promise<Subject | null>
  /** False: the draft cannot be saved now. Absent: true. */
  readonly canSave?: boolean
  /** Preselected reach. Absent: every new session. */
  readonly reach?: Reach
  readonly above?: ReactNode
  /** Null: use the server's action. */
  readonly renderAction?: (gate: ShownGate) => ReactNode
  readonly running?: number
  readonly children: ReactNode
  /** Environment that the version can be promoted to next; absent or null: none is offered. */
  readonly next?: string | null
  readonly onPromote?: (environment: string) => void
  /** Called as the release is sent; shown after it was made. Undefined: nothing to add. */
  readonly onDescribe?: () => string | undefined
  readonly onClose: () => void
}

interface ReleaseValues {
  readonly note: string
  readonly typedName: string
  readonly acknowledged: readonly Asking[]
  readonly due: ReleaseTime
  /** Running sessions move to the version immediately. */
  readonly tighten: boolean
  readonly reach: Reach
}

const BLANK: ReleaseValues = {
  ...NO_WORDS,
  acknowledged: [],
  due: NOW,
  tighten: false,
  reach: TO_ALL,
}

interface Made {
  readonly release: MadeRelease
  readonly reach: Reach
  readonly outcome: string | undefined
}

export function ReleaseDialog(props: ReleaseDialogProps) {
  const { kind, prompt, next = null, onPromote, onClose } = props
  const [made, setMade] = useState<Made | null>(null)
  if (made === null) return <Before {...props} onMade={setMade} />
  const canRollBack = kind !== 'rollback'
  return (
    <Released
      {...made}
      prompt={prompt}
      next={next}
      onPromote={onPromote}
      onClose={onClose}
      canRollBack={canRollBack}
    />
  )
}

const RequestInput = ReleaseInput.extend({ due: DueInput.nullable() })
type Request = z.input<typeof RequestInput>
type ReleaseForm = ReturnType<typeof useServerForm<ReleaseValues, Request>>

/** `hindrance`: reason why no other reach can be chosen; null: others can. */
interface Reached {
  readonly reach: Reach
  readonly hindrance: string | null
}

function toReached({ due, reach }: ReleaseValues, whyOnlyToAll: string | null): Reached {
  const hindrance =
    whyOnlyToAll === null ? (due.isLater ? PLAN_GOES_TO_ALL : null) : `${whyOnlyToAll}.`
  return { reach: hindrance === null ? reach : TO_ALL, hindrance }
}

/** Null: no time is chosen, or the chosen time is in the past. */
function toRequest(
  props: ReleaseDialogProps,
  values: ReleaseValues,
  { reach, zone }: { readonly reach: Reach; readonly zone: string },
): Request | null {
  const { note, typedName, acknowledged, due, tighten } = values
  const chosen = due.isLater ? computeDue(due, zone) : null
  if (due.isLater && chosen === null) return null
  return {
    ...props.prompt,
    environment: props.environment.name,
    ...toReleaseWords({ note, typedName }),
    acknowledged: [...acknowledged],
    due: chosen,
    ...toReachTerms(reach),
    // A planned release does not know the sessions of its time, and a staged rollout reaches only new sessions, so neither can tighten
    // running ones.
    tighten: tighten && !due.isLater && reach.kind !== 'staged',
  }
}

/** Rejects if the server refuses. */
function useRelease(
  props: ReleaseDialogProps,
  onMade: (made: MadeRelease, outcome: string | undefined) => void,
) {
  const { kind, environment, subject } = props
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const ask = async ({ due, ...request }: Request) => {
    const about = await subject()
    if (about === null) {
      throw new RefusedInput('The draft could not be saved, so it was not published.')
    }
    if (due !== null) {
      return await client.schedules.create.mutate({ ...request, ...due, subject: about })
    }
    if (about.kind === 'draft') {
      const { draftId, revision } = about
      return await client.releases.publish.mutate({ ...request, draftId, revision })
    }
    const move = { ...request, version: about.version, expectedLive: environment.live }
    return kind === 'rollback'
      ? await client.releases.rollBack.mutate(move)
      : await client.releases.promote.mutate(move)
  }
  return useMutation({
    mutationFn: async (request: Request) => {
      const result = await ask(request)
      if (!result.ok) throw toRefusedInput(result)
      return result
    },
    // The release changes the version in force, from which the outcome is computed.
    onMutate: () => props.onDescribe?.(),
    onSuccess: (result, _, outcome) => {
      if ('release' in result) onMade(result.release, outcome)
    },
    onSettled: async () => {
      const { configs, drafts, releases, schedules, stagedRollouts } = trpc
      for (const { pathKey } of [configs, drafts, releases, schedules, stagedRollouts]) {
        await queries.invalidateQueries({ queryKey: pathKey() })
      }
    },
  })
}

function Before(props: ReleaseDialogProps & { readonly onMade: (made: Made) => void }) {
  const { kind, prompt, environment, version, content, subject, canSave = true, onClose } = props
  const zone = useZone()
  const isBack = kind === 'rollback'
  const place = { ...prompt, environment: environment.name }
  const { review, gates, whyOnlyToAll, isUnsaved, problem } = useReview({
    place,
    kind,
    content,
    subject,
  })
  const readReach = (chosen: ReleaseValues) => toReached(chosen, whyOnlyToAll).reach
  const release = useRelease(props, (made, outcome) =>
    props.onMade({ release: made, reach: readReach(form.state.values), outcome }),
  )
  const form = useServerForm({
    values: { ...BLANK, reach: props.reach ?? TO_ALL },
    schema: RequestInput,
    toInput: (chosen) => toRequest(props, chosen, { reach: readReach(chosen), zone }),
    send: release.mutateAsync,
  })
  const values = useStore(form.store, (state) => state.values)
  const asked = review?.request?.isForThis === true ? review.request.note : null
  // The note of the request is offered once; what a user typed meanwhile stays.
  useEffect(() => {
    if (asked !== null && form.state.values.note === '') form.setFieldValue('note', asked)
  }, [asked, form])
  const reached = toReached(values, whyOnlyToAll)
  const { note, typedName, acknowledged, due } = values
  const all = showGates({
    gates,
    isLater: due.isLater,
    canSave: canSave && !isUnsaved,
    answers: { environment: environment.name, note, typedName, acknowledged },
  })
  // A rollback shows only the gates that block it.
  const shown = isBack ? all.filter(({ passed, isOpen }) => !passed && !isOpen) : all
  const name = `${prompt.ns}/${prompt.key}`
  const dueAt = computeDue(due, zone)?.dueAt ?? null
  if (release.data !== undefined && dueAt !== null) {
    return (
      <Dialog
        open
        onOpenChange={onClose}
        title={`Scheduled for ${environment.name}`}
        description={name}
        actions={<Button onClick={onClose}>Close</Button>}
      >
        <p role="status">
          {nameContent(version).long} will be released to {environment.name} on{' '}
          <Timestamp at={dueAt} style="second" /> if it meets every requirement then. Until then, it
          is listed under Rollouts.
        </p>
      </Dialog>
    )
  }
  const lacksTime = due.isLater && dueAt === null
  const isReady = all.every(({ passed }) => passed) && !lacksTime
  return (
    <form.AppForm>
      <Dialog
        open
        wide
        onOpenChange={onClose}
        title={formatTitle(props, reached.reach, shown)}
        description={`${name}${version === null ? ', draft' : ''}${moveText(props)}`}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            {lacksTime && <span className="text-text-2">Choose a date and time.</span>}
            <Button
              variant="primary"
              disabled={!isReady || release.isPending}
              onClick={() => submitForm(form)}
            >
              {buttonText(props, {
                time: due,
                reach: reached.reach,
                next: review?.version ?? null,
                isSent: release.isPending,
              })}
            </Button>
          </>
        }
      >
        <Body
          {...props}
          form={form}
          values={values}
          reached={reached}
          gates={shown}
          review={review}
          place={place}
        />
        <ErrorLine>{problem}</ErrorLine>
      </Dialog>
    </form.AppForm>
  )
}

function formatTitle(
  { kind, version, environment: { name } }: ReleaseDialogProps,
  reach: Reach,
  gates: readonly ShownGate[],
): string {
  if (kind === 'publish') return headline(gates, name)
  if (kind === 'rollback') return `Roll back ${name}`
  return reach.kind === 'staged' ? `Stage v${version} in ${name}` : `Promote to ${name}`
}

function moveText({ version, environment: { name, live } }: ReleaseDialogProps): string {
  if (version === null) return ` → ${name}`
  return `: ${live === null ? 'no version' : `v${live}`} → v${version}`
}

function buttonText(
  props: ReleaseDialogProps,
  {
    time,
    reach,
    next,
    isSent,
  }: {
    readonly time: ReleaseTime
    readonly reach: Reach
    /** Number that the draft will get; null: unknown. */
    readonly next: number | null
    readonly isSent: boolean
  },
): string {
  const { kind, version, environment } = props
  if (kind === 'rollback') return `Roll back to v${version} in ${environment.name}`
  if (kind === 'publish' && isSent) return 'Publishing'
  const number = version ?? next
  return releaseText(
    { time, reach },
    {
      verb: kind === 'publish' ? 'Publish' : 'Promote',
      what: number === null ? null : `v${number}`,
      place: environment.name,
    },
  )
}

/** A rollback accepts a note but requires none. */
const NOTHING_ASKED = { requiresNote: false, requiresTypedName: false } as const

type BodyProps = ReleaseDialogProps & {
  readonly form: ReleaseForm
  readonly values: ReleaseValues
  readonly reached: Reached
  readonly gates: readonly ShownGate[]
  readonly review: ReleaseReview | null
  readonly place: PlaceName
}

function Body(props: BodyProps) {
  const { kind, environment, form, values, review, running = 0, above, children } = props
  const isBack = kind === 'rollback'
  const { reach, hindrance } = props.reached
  const { name, live } = environment
  const isNow = !values.due.isLater && reach.kind !== 'staged'
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start gap-3">
        {above}
        {!isBack && (
          <>
            <ReleaseTimeFields
              time={values.due}
              onChange={(time) => form.setFieldValue('due', time)}
            />
            <ReachSelect
              reach={reach}
              hindrance={hindrance}
              onChange={(next) => form.setFieldValue('reach', next)}
            />
          </>
        )}
      </div>
      {!isBack && live !== null && (
        <ReachTerms
          reach={reach}
          live={live}
          onChange={(next) => form.setFieldValue('reach', next)}
        />
      )}
      <Gates {...props} />
      <ReleaseWordFields
        form={form}
        fields={WORD_FIELDS}
        demands={isBack ? { name, ...NOTHING_ASKED } : environment}
      />
      {children}
      {review !== null && (
        <Affected review={review} environment={name} running={running} live={live} />
      )}
      {review !== null && isNow && (
        <TightenOffer
          tightening={review.tightening}
          isChosen={values.tighten}
          onChoose={(isChosen) => form.setFieldValue('tighten', isChosen)}
        />
      )}
      <FormProblem />
    </div>
  )
}

function Gates({ form, values, gates, review, place, subject, renderAction }: BodyProps) {
  if (gates.length === 0) return null
  const { acknowledged, note } = values
  return (
    <GateList
      gates={gates}
      acknowledged={acknowledged}
      onAcknowledge={(id, isTicked) =>
        form.setFieldValue(
          'acknowledged',
          // Only gates in `ASKING` can be acknowledged; other ids have no effect.
          ASKING.filter((each) => (each === id ? isTicked : acknowledged.includes(each))),
        )
      }
      renderAction={(gate) =>
        renderAction?.(gate) ??
        (review !== null && (
          <GateAction gate={gate} place={place} review={review} subject={subject} note={note} />
        ))
      }
    />
  )
}

'use client'
import { useStore } from '@tanstack/react-form'
import { useMutation } from '@tanstack/react-query'
import { JsonDifference } from '@/components/kit/diff/json-difference.tsx'
import { FormProblem, submitForm, useServerForm } from '@/components/kit/form/form.tsx'
import { useReleaseRight } from '@/components/shell/release-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import type { RequestedRelease } from '@/server/releases/release-approvals.ts'
import { DecideInput } from '@/server/releases/release-input.ts'
import { LazyTextChanges } from './lazy-text-changes.tsx'
import { PlanTime } from './plan-time.tsx'
import { ReleaseNow } from './release-now.tsx'
import { nameContent } from './release-text.ts'
import { isReadyToRelease } from './requested-words.ts'
import { useRequestSettled } from './use-request-settled.ts'

interface Values {
  readonly note: string
  readonly decision: 'approved' | 'refused'
}

const UNDECIDED: Values = { note: '', decision: 'refused' }

function useDecide(onClose: () => void) {
  const trpc = useTRPC()
  return useMutation(
    trpc.releaseApprovals.decide.mutationOptions({
      onSuccess: onClose,
      onSettled: useRequestSettled(),
    }),
  )
}

function describeContent(asked: RequestedRelease): string {
  const { environment, version, live, editor } = asked
  const runs =
    live === null ? `no version runs in ${environment}` : `${environment} runs v${live.number}`
  return `${nameContent(version).long}, last edited by ${editor ?? 'a former member'}; ${runs}`
}

function AskedFor({
  asked: { note, sentence, digest, plan },
}: {
  readonly asked: RequestedRelease
}) {
  return (
    <div className="flex flex-col gap-1">
      {note !== null && <p className="break-words">“{note}”</p>}
      <p className="text-small text-text-2">
        {sentence} · Content <code>{digest.slice(7, 15)}…</code>
      </p>
      {plan !== null && (
        <p className="text-text-2">
          This release is <PlanTime plan={plan} />.
          {plan.state === 'pending' ? '' : ' An approval does not release it.'}
        </p>
      )}
    </div>
  )
}

/** The foot for users who may not decide: the reason, or the next step after enough approvals. */
function Undecidable({
  asked,
  whyNot,
  onClose,
}: {
  readonly asked: RequestedRelease
  readonly whyNot: string
  readonly onClose: () => void
}) {
  const isReady = isReadyToRelease(asked)
  return (
    <>
      <span className="mr-auto text-text-2">{isReady ? 'Ready to release.' : whyNot}</span>
      <Button onClick={onClose}>Close</Button>
      {isReady && <ReleaseNow asked={asked} isMain />}
    </>
  )
}

export function DecisionDialog({
  asked,
  onClose,
}: {
  readonly asked: RequestedRelease
  readonly onClose: () => void
}) {
  const right = useReleaseRight(asked.environment)
  const decide = useDecide(onClose)
  const form = useServerForm({
    values: UNDECIDED,
    schema: DecideInput,
    toInput: ({ decision, note }) => {
      const { ns, key, environment, digest, live } = asked
      const expectedLive = live?.number ?? null
      const said = note.trim() === '' ? null : note
      return { ns, key, environment, digest, expectedLive, decision, note: said }
    },
    send: decide.mutateAsync,
  })
  const isBlank = useStore(form.store, ({ values }) => values.note.trim() === '')
  const answer = (decision: Values['decision']) => {
    form.setFieldValue('decision', decision)
    submitForm(form)
  }
  const whyNot = asked.whyNot ?? right.reason
  const isBlocked = !right.isAllowed || decide.isPending
  const { ns, key, environment } = asked
  const what = nameContent(asked.version).short
  const runs = asked.live === null ? 'nothing' : `v${asked.live.number}`
  return (
    <form.AppForm>
      <Dialog
        open
        wide
        onOpenChange={onClose}
        title={
          whyNot === null
            ? `Approve ${ns}/${key} for ${environment}?`
            : `${ns}/${key} for ${environment}`
        }
        description={describeContent(asked)}
        actions={
          whyNot === null ? (
            <>
              <Button
                disabled={isBlocked || isBlank}
                title={isBlank ? 'Enter a reason first' : undefined}
                onClick={() => answer('refused')}
              >
                Refuse
              </Button>
              <Button variant="primary" disabled={isBlocked} onClick={() => answer('approved')}>
                Approve {what}
              </Button>
            </>
          ) : (
            <Undecidable asked={asked} whyNot={whyNot} onClose={onClose} />
          )
        }
      >
        <div className="flex flex-col gap-4">
          <AskedFor asked={asked} />
          {whyNot === null && (
            <form.AppField name="note">
              {(field) => (
                <field.TextareaField
                  label="Note"
                  hint="Required if you refuse: describe what must change."
                  rows={2}
                  maxLength={2_000}
                />
              )}
            </form.AppField>
          )}
          <FormProblem />
          <LazyTextChanges
            from={asked.live?.text ?? null}
            to={asked.text}
            heading={`Changes in ${environment}`}
          />
          <JsonDifference
            before={asked.live?.text ?? ''}
            after={asked.text}
            labels={[runs, what]}
          />
        </div>
      </Dialog>
    </form.AppForm>
  )
}

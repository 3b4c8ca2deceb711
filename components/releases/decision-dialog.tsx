'use client'
import { useStore } from '@tanstack/react-form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { JsonDifference } from '@/components/kit/diff/json-difference.tsx'
import { FormProblem, submitForm, useServerForm } from '@/components/kit/form/form.tsx'
import { useReleaseRight } from '@/components/shell/release-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import type { WaitingApproval } from '@/server/releases/release-approvals.ts'
import { DecideInput } from '@/server/releases/release-input.ts'
import { LazyTextChanges } from './lazy-text-changes.tsx'

interface Values {
  readonly note: string
  readonly decision: 'approved' | 'refused'
}

const UNDECIDED: Values = { note: '', decision: 'refused' }

function useDecide(onClose: () => void) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  return useMutation(
    trpc.releaseApprovals.decide.mutationOptions({
      onSuccess: onClose,
      onSettled: async () => {
        await queries.invalidateQueries({ queryKey: trpc.releaseApprovals.pathKey() })
        await queries.invalidateQueries({ queryKey: trpc.releases.work.queryKey() })
      },
    }),
  )
}

export function DecisionDialog({
  asked,
  onClose,
}: {
  readonly asked: WaitingApproval
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
  const isBlocked = whyNot !== null || !right.isAllowed || decide.isPending
  const runs = asked.live === null ? 'nothing' : `v${asked.live.number}`
  return (
    <form.AppForm>
      <Dialog
        open
        wide
        onOpenChange={onClose}
        title={`Approve ${asked.ns}/${asked.key} for ${asked.environment}?`}
        description={`${asked.version === null ? 'Draft' : `v${asked.version}`}, last edited by ${asked.editor ?? 'a former member'}; ${asked.environment} runs ${runs}`}
        actions={
          <>
            <Button
              disabled={isBlocked || isBlank}
              title={isBlank ? 'Enter a reason first' : undefined}
              onClick={() => answer('refused')}
            >
              Refuse
            </Button>
            <Button variant="primary" disabled={isBlocked} onClick={() => answer('approved')}>
              {asked.version === null ? 'Approve draft' : `Approve v${asked.version}`}
            </Button>
          </>
        }
      >
        <div className="flex flex-col gap-4">
          {asked.note !== null && <p className="break-words">“{asked.note}”</p>}
          <LazyTextChanges
            from={asked.live?.text ?? null}
            to={asked.text}
            heading={`Changes in ${asked.environment}`}
          />
          <JsonDifference
            before={asked.live?.text ?? ''}
            after={asked.text}
            labels={[runs, asked.version === null ? 'Draft' : `v${asked.version}`]}
          />
          <p className="text-small text-text-2">
            {asked.sentence}. Content <code>{asked.digest.slice(7, 15)}…</code>
          </p>
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
          {whyNot !== null && <p className="text-text-2">{whyNot}</p>}
          <FormProblem />
        </div>
      </Dialog>
    </form.AppForm>
  )
}

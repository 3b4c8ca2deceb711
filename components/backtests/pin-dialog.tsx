'use client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { FormProblem, Submit, submitForm, useServerForm } from '@/components/kit/form/form.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { toast } from '@/components/ui/toast.tsx'
import { PinInput } from '@/server/backtests/backtest-input.ts'
import { type PinPlace, rulePath } from './pin-place.ts'

type Verdict = PinPlace['recorded']

export function PinDialog({
  place,
  isTest,
  onClose,
}: {
  readonly place: PinPlace
  /** True: the draft opens after pinning. */
  readonly isTest: boolean
  readonly onClose: () => void
}) {
  const pin = usePin(place, isTest, onClose)
  const form = useServerForm({
    values: { expected: place.recorded, note: '' },
    schema: PinInput,
    toInput: (values) => ({ id: place.id, ...values }),
    send: pin.mutateAsync,
  })
  const refused: Verdict = place.kind === 'stop' ? 'blocked' : 'denied'
  const verdicts = [refused, 'allowed' as const].map((value) => ({
    value,
    label: `should be ${value}${value === place.recorded ? ', as recorded' : ''}`,
  }))
  return (
    <form.AppForm>
      <Dialog
        open
        onOpenChange={(next) => !next && onClose()}
        title={isTest ? 'Test a change' : 'Pin as test case'}
        description={`${isTest ? `This pins the ${place.kind} as a test case and opens the draft at the rule. ` : ''}Every backtest of the config reports whether the ${place.kind} is decided as expected. The log up to here is kept, even after the session is removed.`}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Submit type="button" variant="primary" onClick={() => submitForm(form)}>
              {isTest ? 'Pin and open the draft' : 'Pin'}
            </Submit>
          </>
        }
      >
        <div className="flex flex-col gap-3">
          <form.AppField name="expected">
            {(field) => (
              <field.SelectField label="Expected verdict" options={verdicts} className="w-full" />
            )}
          </form.AppField>
          <form.AppField name="note">
            {(field) => (
              <field.TextareaField
                label="Note"
                hint="Why it matters, shown when the case fails."
                rows={3}
                maxLength={1000}
              />
            )}
          </form.AppField>
          <FormProblem />
        </div>
      </Dialog>
    </form.AppForm>
  )
}

function usePin(place: PinPlace, isTest: boolean, onClose: () => void) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const router = useRouter()
  return useMutation(
    trpc.backtests.pin.mutationOptions({
      onSuccess: async (_pinned, { expected = place.recorded }) => {
        await queries.invalidateQueries({ queryKey: trpc.backtests.pathKey() })
        onClose()
        if (!isTest) return
        router.push(rulePath(place))
        toast(
          `Pinned: this ${place.kind} should be ${expected}. Change the draft, then run a backtest.`,
        )
      },
    }),
  )
}

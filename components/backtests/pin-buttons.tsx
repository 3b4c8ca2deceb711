'use client'
// On the page of a stop or a call: pin it as a test case, or pin it and open the draft at the rule that decided it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FlaskConical, Pin } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { configPath } from '@/components/paths/config-path.ts'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { EDITORS, useRight } from '@/components/shell/use-right.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button, LinkButton } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field, Textarea } from '@/components/ui/input.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { Select } from '@/components/ui/select.tsx'
import { toast } from '@/components/ui/toast.tsx'

type Verdict = 'allowed' | 'denied' | 'blocked'

export interface PinPlace {
  /** Id of the stop or the decision. */
  readonly id: string
  readonly ns: string
  /** Key of the prompt in `ns`. */
  readonly prompt: string
  readonly recorded: Verdict
  readonly kind: 'call' | 'stop'
  /** Id of the rule that refused it; null: none did, or it is not known. */
  readonly rule: string | null
}

function casesPath({ ns, prompt }: PinPlace): string {
  return `${configPath(ns, prompt)}/edit?tab=backtest&by=cases`
}

function rulePath({ ns, prompt, rule }: PinPlace): string {
  const place = rule === null ? '' : `?rule=${encodeURIComponent(rule)}`
  return `${configPath(ns, prompt)}/edit${place}`
}

export function PinButtons({ place }: { readonly place: PinPlace }) {
  const trpc = useTRPC()
  const router = useRouter()
  const [asking, setAsking] = useState<'pin' | 'test' | null>(null)
  const pinned = useQuery(trpc.backtests.pinned.queryOptions({ id: place.id }))
  const right = useRight({ roles: EDITORS, does: 'draft.edit' })
  const refusal = right.reason ?? undefined
  const test = (): void => {
    if (pinned.data) router.push(rulePath(place))
    else setAsking('test')
  }
  usePageActions([
    ...(pinned.data ? [] : [{ name: 'Pin as test case…', run: () => setAsking('pin'), refusal }]),
    { name: 'Test a change…', run: test, refusal },
  ])
  return (
    <>
      {pinned.data ? (
        <LinkButton className="no-print" href={casesPath(place)}>
          <Pin size={14} aria-hidden /> Pinned: should be {pinned.data.expected}
        </LinkButton>
      ) : (
        <ReasonedButton
          {...right}
          className="no-print"
          disabled={pinned.data === undefined}
          onClick={() => setAsking('pin')}
        >
          <Pin size={14} aria-hidden /> Pin as test case
        </ReasonedButton>
      )}
      <ReasonedButton
        {...right}
        className="no-print"
        disabled={pinned.data === undefined}
        onClick={test}
      >
        <FlaskConical size={14} aria-hidden /> Test a change
      </ReasonedButton>
      {asking !== null && (
        <PinDialog place={place} isTest={asking === 'test'} onClose={() => setAsking(null)} />
      )}
    </>
  )
}

const OPENS_DRAFT = 'Pins it as a test case and opens the draft at the rule. '

function PinDialog({
  place,
  isTest,
  onClose,
}: {
  readonly place: PinPlace
  /** The draft opens once it is pinned. */
  readonly isTest: boolean
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const router = useRouter()
  const [expected, setExpected] = useState<Verdict>(place.recorded)
  const [note, setNote] = useState('')
  const pin = useMutation({
    mutationFn: () => client.backtests.pin.mutate({ id: place.id, expected, note }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: trpc.backtests.pathKey() })
      onClose()
      if (!isTest) return
      router.push(rulePath(place))
      toast(
        `Pinned: this ${place.kind} should be ${expected}. Change the draft, then run a backtest.`,
      )
    },
  })
  const refused: Verdict = place.kind === 'stop' ? 'blocked' : 'denied'
  const label = (verdict: Verdict): string =>
    `should be ${verdict}${verdict === place.recorded ? ', as recorded' : ''}`
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={isTest ? 'Test a change' : 'Pin as test case'}
      description={`${isTest ? OPENS_DRAFT : ''}Every backtest of the config reports whether the ${place.kind} is decided as expected. The log up to here is kept, even after the session is removed.`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={pin.isPending} onClick={() => pin.mutate()}>
            {isTest ? 'Pin and open the draft' : 'Pin'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <Field label="Expected verdict">
          {({ id }) => (
            <Select<Verdict>
              id={id}
              label="Expected verdict"
              value={expected}
              options={[refused, 'allowed' as const].map((value) => ({
                value,
                label: label(value),
              }))}
              onChange={setExpected}
              className="w-full"
            />
          )}
        </Field>
        <Field
          label="Note"
          hint="Why it matters, shown when the case fails."
          error={pin.error?.message}
        >
          {(control) => (
            <Textarea
              {...control}
              rows={3}
              maxLength={1000}
              value={note}
              onChange={({ target }) => setNote(target.value)}
            />
          )}
        </Field>
      </div>
    </Dialog>
  )
}

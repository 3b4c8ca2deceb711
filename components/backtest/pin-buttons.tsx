'use client'
// On the page of a stop or a call: keep it as a test case, or go and change the config with it pinned.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FlaskConical, Pin } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { configPath } from '../configs/config-path.ts'
import { usePageActions } from '../shell/page-actions.ts'
import { EDITORS, useRight } from '../shell/use-right.ts'
import { useTRPC, useTRPCClient } from '../trpc-provider.tsx'
import { Button, LinkButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Textarea } from '../ui/input.tsx'
import { ReasonedButton } from '../ui/reasoned-button.tsx'
import { Select } from '../ui/select.tsx'
import { toast } from '../ui/toast.tsx'

type Verdict = 'allowed' | 'denied' | 'blocked'

export interface PinPlace {
  /** Of the stop or the decision. */
  readonly id: string
  readonly ns: string
  /** Key of the prompt in `ns`. */
  readonly prompt: string
  readonly recorded: Verdict
  readonly kind: 'call' | 'stop'
}

function editPath({ ns, prompt }: PinPlace): string {
  return `${configPath(ns, prompt)}/edit?tab=backtest&by=cases`
}

export function PinButtons({ place }: { readonly place: PinPlace }) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const router = useRouter()
  const [open, setOpen] = useState(false)
  const pinned = useQuery(trpc.backtests.pinned.queryOptions({ id: place.id }))
  const right = useRight({ roles: EDITORS, does: 'draft.edit' })
  const test = useMutation({
    mutationFn: () => client.backtests.pin.mutate({ id: place.id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: trpc.backtests.pathKey() })
      router.push(editPath(place))
    },
    onError: (error) => toast.error(error.message),
  })
  const refusal = right.reason ?? undefined
  usePageActions([
    ...(pinned.data ? [] : [{ name: 'Pin as test case…', run: () => setOpen(true), refusal }]),
    { name: 'Test a change', run: () => test.mutate(), refusal },
  ])
  return (
    <>
      {pinned.data ? (
        <LinkButton className="no-print" href={editPath(place)}>
          <Pin size={14} aria-hidden /> Pinned: should be {pinned.data.expected}
        </LinkButton>
      ) : (
        <ReasonedButton
          {...right}
          className="no-print"
          disabled={pinned.data === undefined}
          onClick={() => setOpen(true)}
        >
          <Pin size={14} aria-hidden /> Pin as test case
        </ReasonedButton>
      )}
      <ReasonedButton
        {...right}
        className="no-print"
        disabled={test.isPending}
        onClick={() => test.mutate()}
      >
        <FlaskConical size={14} aria-hidden /> Test a change
      </ReasonedButton>
      {open && <PinDialog place={place} onClose={() => setOpen(false)} />}
    </>
  )
}

function PinDialog({ place, onClose }: { readonly place: PinPlace; readonly onClose: () => void }) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const [expected, setExpected] = useState<Verdict>(place.recorded)
  const [note, setNote] = useState('')
  const pin = useMutation({
    mutationFn: () => client.backtests.pin.mutate({ id: place.id, expected, note }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: trpc.backtests.pathKey() })
      onClose()
    },
  })
  const refused: Verdict = place.kind === 'stop' ? 'blocked' : 'denied'
  const label = (verdict: Verdict): string =>
    `should be ${verdict}${verdict === place.recorded ? ', as recorded' : ''}`
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title="Pin as test case"
      description="Every backtest of this config will say whether it is decided so. The log up to here is kept, also when the session is removed."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={pin.isPending} onClick={() => pin.mutate()}>
            Pin
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
        <Field label="Note" hint="Why it matters, for who sees it fail." error={pin.error?.message}>
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

// Adds a destination to alert rules, or changes the address of an existing destination.
'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import type { ListedDestination } from '@/server/alerts/destination-list.ts'
import { DestinationField } from './destination-field.tsx'
import { type DraftDestination, destinationProblem, toDestination } from './rule-draft.ts'

const NONE: ReadonlySet<string> = new Set()

export function DestinationDialog({
  changed,
  onClose,
}: {
  /** Null: a new one. */
  readonly changed: ListedDestination | null
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const [draft, setDraft] = useState<DraftDestination>({
    kind: changed?.kind ?? 'webhook',
    url: '',
  })
  const [rules, setRules] = useState(NONE)
  const [isTried, setTried] = useState(false)
  const problem = destinationProblem(draft) ?? undefined
  const isRuleMissing = changed === null && rules.size === 0
  const save = useMutation({
    mutationFn: async () => {
      const destination = toDestination(draft)
      if (changed === null) await client.destinations.add.mutate({ destination, rules: [...rules] })
      else await client.destinations.change.mutate({ id: changed.id, destination })
    },
    onSuccess: onClose,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: trpc.destinations.pathKey() }),
        queries.invalidateQueries({ queryKey: trpc.alerts.rules.queryKey() }),
      ]),
  })
  const submit = (): void => {
    setTried(true)
    if (problem === undefined && !isRuleMissing) save.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={changed === null ? 'New destination' : `Change ${changed.to}`}
      description={
        changed === null
          ? 'The selected rules notify it when they fire.'
          : 'All rules that use this destination will use the new address. The current address is hidden.'
      }
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={save.isPending} onClick={submit}>
            {changed === null ? 'Add destination' : 'Save destination'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <div className="flex items-end gap-2">
          <DestinationField
            destination={draft}
            label="Kind of destination"
            problem={isTried ? problem : undefined}
            onChange={setDraft}
          />
        </div>
        {changed === null ? (
          <RuleChoice
            chosen={rules}
            onChange={setRules}
            error={isTried && isRuleMissing ? 'Choose at least one rule.' : null}
          />
        ) : null}
        <ErrorLine>{save.error?.message}</ErrorLine>
      </div>
    </Dialog>
  )
}

function RuleChoice({
  chosen,
  onChange,
  error,
}: {
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
  readonly error: string | null
}) {
  const trpc = useTRPC()
  const rules = useQuery(trpc.alerts.rules.queryOptions())
  const toggle = (id: string): void => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    onChange(next)
  }
  return (
    <fieldset>
      <legend className="font-medium text-small text-text-2">Used by</legend>
      {rules.data?.map(({ id, name }) => (
        <Checkbox key={id} checked={chosen.has(id)} onChange={() => toggle(id)}>
          <span className="break-words">{name}</span>
        </Checkbox>
      ))}
      {rules.data?.length === 0 ? (
        <p className="text-text-2">
          There is no alert rule yet.{' '}
          <Link href="/alerts/rules" className="text-link underline">
            Create rule
          </Link>
        </p>
      ) : null}
      {rules.error === null && error === null ? null : (
        <ErrorLine className="text-small">
          {rules.error === null ? error : `The rules could not be loaded: ${rules.error.message}`}
        </ErrorLine>
      )}
    </fieldset>
  )
}

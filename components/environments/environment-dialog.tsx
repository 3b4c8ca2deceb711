'use client'
// One environment: what a release there asks for. A new one also gets its name, which stays.
import { EnvironmentName } from '@signalbox/wire'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button.tsx'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import type { EnvironmentSettings } from '@/server/environments/environments.ts'

export type Demands = Pick<
  EnvironmentSettings,
  | 'name'
  | 'requiresNote'
  | 'requiresTypedName'
  | 'requiredApprovals'
  | 'rollbackSkipsApproval'
  | 'requiresBacktest'
>

const NEW: Demands = {
  ...{ name: '', requiresNote: false, requiresTypedName: false, requiresBacktest: false },
  ...{ requiredApprovals: 0, rollbackSkipsApproval: true },
}

const COUNTS = ['0', '1', '2', '3', '4', '5'].map((value) => ({
  value,
  label: value === '0' ? 'none' : value,
}))

function demandsOf(environment: EnvironmentSettings): Demands {
  const { name, requiresNote, requiresTypedName, requiredApprovals } = environment
  const { rollbackSkipsApproval, requiresBacktest } = environment
  return {
    ...{ name, requiresNote, requiresTypedName, requiredApprovals },
    ...{ rollbackSkipsApproval, requiresBacktest },
  }
}

export function EnvironmentDialog({
  environment,
  onSave,
  onClose,
}: {
  /** Null: a new one. */
  readonly environment: EnvironmentSettings | null
  readonly onSave: (demands: Demands) => Promise<void>
  readonly onClose: () => void
}) {
  const [demands, setDemands] = useState(environment === null ? NEW : demandsOf(environment))
  const save = useMutation({ mutationFn: onSave, onSuccess: onClose })
  const set = (change: Partial<Demands>) => setDemands({ ...demands, ...change })
  const isNamed = EnvironmentName.safeParse(demands.name).success
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={environment === null ? 'New environment' : `Change ${environment.name}`}
      description="Applies to the next release and to planned ones."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={!isNamed || save.isPending}
            onClick={() => save.mutate(demands)}
          >
            {environment === null ? 'Add the environment' : `Save ${environment.name}`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {environment === null && (
          <Field
            label="Name"
            hint="1 to 40 lower-case letters, digits or “-”. It cannot be changed later."
            error={
              demands.name === '' || isNamed
                ? undefined
                : 'Use lower-case letters, digits or “-” only.'
            }
          >
            {(control) => (
              <Input
                {...control}
                value={demands.name}
                maxLength={40}
                autoComplete="off"
                spellCheck={false}
                onChange={({ currentTarget }) => set({ name: currentTarget.value })}
              />
            )}
          </Field>
        )}
        <fieldset className="flex flex-col gap-1">
          <legend className="pb-1 font-medium text-small text-text-2">
            A publish or promotion needs
          </legend>
          <Checkbox
            checked={demands.requiresNote}
            onChange={({ currentTarget }) => set({ requiresNote: currentTarget.checked })}
          >
            a note about what changes and why
          </Checkbox>
          <Checkbox
            checked={demands.requiresTypedName}
            onChange={({ currentTarget }) => set({ requiresTypedName: currentTarget.checked })}
          >
            typing the environment’s name
          </Checkbox>
          <Checkbox
            checked={demands.requiresBacktest}
            onChange={({ currentTarget }) => set({ requiresBacktest: currentTarget.checked })}
          >
            a backtest of exactly this text
          </Checkbox>
        </fieldset>
        <Field label="Approvals" hint="From people other than the last editor">
          {({ id }) => (
            <Select
              id={id}
              label="Approvals"
              value={String(demands.requiredApprovals)}
              options={COUNTS}
              onChange={(value) => set({ requiredApprovals: Number(value) })}
            />
          )}
        </Field>
        <Checkbox
          checked={demands.rollbackSkipsApproval}
          disabled={demands.requiredApprovals === 0}
          onChange={({ currentTarget }) => set({ rollbackSkipsApproval: currentTarget.checked })}
        >
          A roll back goes without approval; the audit log says that it did
        </Checkbox>
        {save.error !== null && <ErrorLine>Nothing was saved. {save.error.message}</ErrorLine>}
      </div>
    </Dialog>
  )
}

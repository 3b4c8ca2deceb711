'use client'
// The name of an environment cannot be changed later.
import { useStore } from '@tanstack/react-form'
import { useId } from 'react'
import { useField } from '@/components/kit/form/fields.tsx'
import { Form, FormProblem, Submit, useServerForm } from '@/components/kit/form/form.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import { EnvironmentInput, NEW_DEMANDS } from '@/server/environments/environment-input.ts'
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

const NEW: Demands = { name: '', ...NEW_DEMANDS }

const COUNTS = ['0', '1', '2', '3', '4', '5'].map((value) => ({
  value,
  label: value === '0' ? 'none' : value,
}))

function toDemands(environment: EnvironmentSettings): Demands {
  const { name, requiresNote, requiresTypedName, requiredApprovals } = environment
  const { rollbackSkipsApproval, requiresBacktest } = environment
  return {
    name,
    requiresNote,
    requiresTypedName,
    requiredApprovals,
    rollbackSkipsApproval,
    requiresBacktest,
  }
}

export function EnvironmentDialog({
  environment,
  onSave,
  onClose,
}: {
  /** Null: a new environment. */
  readonly environment: EnvironmentSettings | null
  readonly onSave: (demands: Demands) => Promise<void>
  readonly onClose: () => void
}) {
  const id = useId()
  const form = useServerForm({
    values: environment === null ? NEW : toDemands(environment),
    schema: EnvironmentInput,
    toInput: (values) => values,
    send: async (demands) => {
      await onSave(demands)
      onClose()
    },
  })
  const { name, requiredApprovals } = useStore(form.store, ({ values }) => values)
  const isNamed = EnvironmentInput.shape.name.safeParse(name).success
  return (
    <form.AppForm>
      <Dialog
        open
        onOpenChange={onClose}
        title={environment === null ? 'New environment' : `Change ${environment.name}`}
        description="Applies to the next release and to planned ones."
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Submit form={id} variant="primary" disabled={!isNamed}>
              {environment === null ? 'Add the environment' : `Save ${environment.name}`}
            </Submit>
          </>
        }
      >
        <Form form={form} id={id} className="flex flex-col gap-4">
          {environment === null && (
            <form.AppField name="name" validators={{ onChange: ({ value }) => whyNoName(value) }}>
              {(field) => (
                <field.TextField
                  label="Name"
                  hint="1 to 40 lower-case letters, digits or “-”. It cannot be changed later."
                  maxLength={40}
                  autoComplete="off"
                  spellCheck={false}
                />
              )}
            </form.AppField>
          )}
          <fieldset className="flex flex-col gap-1">
            <legend className="pb-1 font-medium text-small text-text-2">
              A publish or promotion needs
            </legend>
            <form.AppField name="requiresNote">
              {(field) => (
                <field.CheckboxField>
                  a note that describes what changes and why
                </field.CheckboxField>
              )}
            </form.AppField>
            <form.AppField name="requiresTypedName">
              {(field) => <field.CheckboxField>the environment’s name, typed</field.CheckboxField>}
            </form.AppField>
            <form.AppField name="requiresBacktest">
              {(field) => (
                <field.CheckboxField>a backtest of exactly this text</field.CheckboxField>
              )}
            </form.AppField>
          </fieldset>
          <form.AppField name="requiredApprovals">{() => <ApprovalsField />}</form.AppField>
          <form.AppField name="rollbackSkipsApproval">
            {(field) => (
              <field.CheckboxField disabled={requiredApprovals === 0}>
                A rollback needs no approval; the audit log records that
              </field.CheckboxField>
            )}
          </form.AppField>
          <FormProblem before="Nothing was saved. " />
        </Form>
      </Dialog>
    </form.AppForm>
  )
}

function whyNoName(name: string): string | undefined {
  return name === '' || EnvironmentInput.shape.name.safeParse(name).success
    ? undefined
    : 'Use lower-case letters, digits or “-” only.'
}

function ApprovalsField() {
  const { id, value, change, error } = useField<number>()
  return (
    <Field id={id} label="Approvals" hint="From reviewers other than the last editor" error={error}>
      {() => (
        <Select
          id={id}
          label="Approvals"
          value={String(value)}
          options={COUNTS}
          onChange={(next) => change(Number(next))}
        />
      )}
    </Field>
  )
}

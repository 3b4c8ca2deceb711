'use client'

import { useStore } from '@tanstack/react-form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import type { z } from 'zod'
import { FormProblem, Submit, submitForm, useServerForm } from '@/components/kit/form/form.tsx'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button, IconButton } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field } from '@/components/ui/input.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { MOST_DESTINATIONS, RuleFormInput } from '@/server/alerts/alert-input.ts'
import type { ListedRule } from '@/server/alerts/rules.ts'
import { ALERT_SIGNAL_NAMES, alertSignal } from '@/server/alerts/signals.kinds.ts'
import { DestinationFields } from './destination-fields.tsx'
import { type Draft, NEW_DESTINATION, toDraft, toRule } from './rule-draft.ts'
import { RulePreview } from './rule-preview.tsx'

const ANY = ''

const SIGNALS = ALERT_SIGNAL_NAMES.map((value) => ({ value, label: alertSignal(value).label }))

const THRESHOLD_LABELS = {
  count: 'At least (count)',
  share: 'At least (%)',
  factor: 'At least (×)',
} as const

type RuleForm = ReturnType<typeof useServerForm<Draft, z.input<typeof RuleFormInput>>>

export function RuleDialog({
  rule,
  start = {},
  onClose,
}: {
  /** Null: a new rule. */
  readonly rule: ListedRule | null
  readonly start?: Partial<Draft>
  readonly onClose: () => void
}) {
  const save = useSave(rule?.id ?? null, onClose)
  const form = useServerForm({
    values: toDraft(rule, start),
    schema: RuleFormInput,
    toInput: toRule,
    send: save.mutateAsync,
  })
  return (
    <form.AppForm>
      <Dialog
        open
        wide
        onOpenChange={onClose}
        title={rule === null ? 'New alert rule' : `Edit rule “${rule.name}”`}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Submit type="button" variant="primary" onClick={() => submitForm(form)}>
              {rule === null ? 'Create rule' : 'Save rule'}
            </Submit>
          </>
        }
      >
        <div className="flex flex-col gap-4">
          <form.AppField name="name">
            {(field) => (
              <field.TextField label="Name" hint="Messages begin with this name." maxLength={100} />
            )}
          </form.AppField>
          <Conditions form={form} />
          <form.Subscribe selector={({ values }) => values}>
            {(draft) => <RulePreview draft={draft} />}
          </form.Subscribe>
          <Destinations form={form} />
          <FormProblem />
        </div>
      </Dialog>
    </form.AppForm>
  )
}

function useSave(id: string | null, onClose: () => void) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (rule: z.input<typeof RuleFormInput>) => {
      if (id === null) await client.alerts.create.mutate(rule)
      else await client.alerts.change.mutate({ id, ...rule })
    },
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.alerts.pathKey() }),
  })
}

function toOptions(label: string, names: readonly string[]) {
  return [
    { value: ANY, label: `any ${label}` },
    ...names.map((name) => ({ value: name, label: name })),
  ]
}

function RuntimeField({ form }: { readonly form: RuleForm }) {
  const trpc = useTRPC()
  const { environment, runtime } = useStore(form.store, ({ values }) => values)
  const seen = useQuery(
    trpc.runtimes.names.queryOptions(environment === ANY ? {} : { environment }),
  ).data
  const names = seen?.names ?? []
  // The rule's runtime may have been disconnected too long to be listed.
  const known = runtime === ANY || names.includes(runtime) ? names : [runtime, ...names]
  return (
    <form.AppField name="runtime">
      {(field) => (
        <field.SelectField
          label="Runtime"
          hint={
            seen?.isCut === true
              ? `The first ${names.length} names that reported in 7 days; an environment narrows them.`
              : 'Runtimes that reported in the last 7 days.'
          }
          options={toOptions('runtime', known)}
        />
      )}
    </form.AppField>
  )
}

function Conditions({ form }: { readonly form: RuleForm }) {
  const trpc = useTRPC()
  const environments = useQuery(trpc.environments.list.queryOptions()).data ?? []
  const prompts = useQuery(trpc.sessions.prompts.queryOptions()).data ?? []
  const { signal, code } = useStore(form.store, ({ values }) => values)
  const { hint, configHint, measure } = alertSignal(signal)
  const allowAnyReason = () => form.setFieldValue('code', ANY)
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <form.AppField
        name="signal"
        // Only some signals count objects with a reason, so a change of the signal clears the reason.
        listeners={{ onChange: allowAnyReason }}
      >
        {(field) => <field.SelectField label="Signal" hint={hint} options={SIGNALS} />}
      </form.AppField>
      <form.AppField name="environment">
        {(field) => (
          <field.SelectField
            label="Environment"
            options={toOptions(
              'environment',
              environments.map(({ name }) => name),
            )}
          />
        )}
      </form.AppField>
      <form.AppField name="prompt">
        {(field) => (
          <field.SelectField
            label="Config"
            hint={configHint}
            options={toOptions(
              'config',
              prompts.map(({ ns, key }) => `${ns}/${key}`),
            )}
          />
        )}
      </form.AppField>
      <RuntimeField form={form} />
      {code === ANY ? null : (
        <Field label="Reason" hint="Only stops and calls with this reason count.">
          {(control) => (
            <div className="flex items-center gap-1">
              <code id={control.id} className="min-w-0 truncate font-mono text-mono">
                {code}
              </code>
              <Button onClick={allowAnyReason}>Any reason</Button>
            </div>
          )}
        </Field>
      )}
      {measure === 'standing' || measure === 'waiting' ? null : (
        <form.AppField name="threshold">
          {(field) => <field.TextField label={THRESHOLD_LABELS[measure]} inputMode="decimal" />}
        </form.AppField>
      )}
      {measure === 'waiting' ? null : (
        <form.AppField name="windowMinutes">
          {(field) => (
            <field.TextField
              label="Window in minutes"
              hint="1 to 1,440 (one day)."
              inputMode="numeric"
            />
          )}
        </form.AppField>
      )}
    </div>
  )
}

function Destinations({ form }: { readonly form: RuleForm }) {
  const count = useStore(form.store, ({ values }) => values.destinations.length)
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 font-medium text-small text-text-2">Notify</legend>
      {count === 0 ? (
        <p className="text-text-2">No destination. The alert is shown only in the console.</p>
      ) : null}
      {Array.from({ length: count }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two rows may be equal while they are edited.
        <div key={at} className="flex items-start gap-2">
          <DestinationFields
            form={form}
            fields={`destinations[${at}]`}
            kindLabel={`Kind of destination ${at + 1}`}
          />
          <IconButton
            label={`Remove destination ${at + 1}`}
            className="mt-5"
            onClick={() => void form.removeFieldValue('destinations', at)}
          >
            <X size={14} aria-hidden />
          </IconButton>
        </div>
      ))}
      <ReasonedButton
        className="self-start"
        isAllowed={count < MOST_DESTINATIONS}
        reason={
          count < MOST_DESTINATIONS ? null : `A rule has at most ${MOST_DESTINATIONS} destinations.`
        }
        onClick={() => form.pushFieldValue('destinations', NEW_DESTINATION)}
      >
        <Plus size={14} aria-hidden />
        Add a destination
      </ReasonedButton>
    </fieldset>
  )
}

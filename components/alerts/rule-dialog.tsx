// One alert rule: signal, scope, threshold, window, destinations, and how often it would have fired.
'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import type { ListedRule } from '@/server/alerts/rules.ts'
import { ALERT_SIGNAL_NAMES, type AlertSignal, alertSignal } from '@/server/alerts/signals.kinds.ts'
import { DestinationFields } from './destination-fields.tsx'
import { type Draft, findProblems, parseRule, toDraft } from './rule-draft.ts'
import { RulePreview } from './rule-preview.tsx'

const EVERYWHERE = ''

export function RuleDialog({
  rule,
  start = {},
  onClose,
}: {
  /** Null: a new one. */
  readonly rule: ListedRule | null
  readonly start?: Partial<Draft>
  readonly onClose: () => void
}) {
  const [draft, setDraft] = useState(toDraft(rule, start))
  const [isTried, setTried] = useState(false)
  const save = useSave(rule?.id ?? null, onClose)
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  const problems = findProblems(draft)
  const shown = isTried ? problems : {}
  const submit = () => {
    setTried(true)
    const ready = parseRule(draft)
    if (ready !== null) save.mutate(ready)
  }
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={rule === null ? 'New alert rule' : `Change ${rule.name}`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={save.isPending} onClick={submit}>
            {rule === null ? 'Create rule' : 'Save rule'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Name" hint="Messages begin with it." error={shown.name}>
          {(control) => (
            <Input
              {...control}
              value={draft.name}
              maxLength={100}
              onChange={({ currentTarget }) => set({ name: currentTarget.value })}
            />
          )}
        </Field>
        <Conditions draft={draft} set={set} problems={shown} />
        <RulePreview draft={draft} />
        <DestinationFields draft={draft} set={set} problems={shown} />
        <ErrorLine>{save.error?.message}</ErrorLine>
      </div>
    </Dialog>
  )
}

function useSave(id: string | null, onClose: () => void) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (rule: NonNullable<ReturnType<typeof parseRule>>) => {
      if (id === null) await client.alerts.create.mutate(rule)
      else await client.alerts.change.mutate({ id, ...rule })
    },
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.alerts.pathKey() }),
  })
}

/** Limits a rule to one of the names, or to any. */
function NarrowingField({
  label,
  hint,
  value,
  names,
  onChange,
}: {
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly names: readonly string[]
  readonly onChange: (value: string) => void
}) {
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {(control) => (
        <Select
          id={control.id}
          label={label}
          value={value}
          options={[
            { value: EVERYWHERE, label: `any ${label.toLowerCase()}` },
            ...names.map((name) => ({ value: name, label: name })),
          ]}
          onChange={onChange}
        />
      )}
    </Field>
  )
}

function RuntimeField({
  draft: { environment, runtime },
  set,
}: {
  readonly draft: Draft
  readonly set: (change: Partial<Draft>) => void
}) {
  const trpc = useTRPC()
  const seen = useQuery(
    trpc.runtimes.names.queryOptions(environment === EVERYWHERE ? {} : { environment }),
  ).data
  const names = seen?.names ?? []
  // The rule's own runtime may have been disconnected for longer.
  const known = runtime === EVERYWHERE || names.includes(runtime) ? names : [runtime, ...names]
  return (
    <NarrowingField
      label="Runtime"
      hint={
        seen?.isCut === true
          ? `The first ${names.length} names that reported in 7 days; an environment narrows them.`
          : 'Runtimes that reported in the last 7 days.'
      }
      value={runtime}
      names={known}
      onChange={(next) => set({ runtime: next })}
    />
  )
}

function Conditions({
  draft,
  set,
  problems,
}: {
  readonly draft: Draft
  readonly set: (change: Partial<Draft>) => void
  readonly problems: ReturnType<typeof findProblems>
}) {
  const trpc = useTRPC()
  const environments = useQuery(trpc.environments.list.queryOptions()).data ?? []
  const prompts = useQuery(trpc.sessions.prompts.queryOptions()).data ?? []
  const { hint, configHint, measure } = alertSignal(draft.signal)
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Signal" hint={hint}>
        {(control) => (
          <Select<AlertSignal>
            id={control.id}
            label="Signal"
            value={draft.signal}
            options={ALERT_SIGNAL_NAMES.map((value) => ({
              value,
              label: alertSignal(value).label,
            }))}
            // Not every signal counts objects with a reason.
            onChange={(signal) => set({ signal, code: EVERYWHERE })}
          />
        )}
      </Field>
      <NarrowingField
        label="Environment"
        value={draft.environment}
        names={environments.map(({ name }) => name)}
        onChange={(environment) => set({ environment })}
      />
      <NarrowingField
        label="Config"
        hint={configHint}
        value={draft.prompt}
        names={prompts.map(({ ns, key }) => `${ns}/${key}`)}
        onChange={(prompt) => set({ prompt })}
      />
      <RuntimeField draft={draft} set={set} />
      {draft.code === EVERYWHERE ? null : (
        <Field label="Reason" hint="Only stops and calls with this reason count.">
          {(control) => (
            <div className="flex items-center gap-1">
              <code id={control.id} className="min-w-0 truncate font-mono text-mono">
                {draft.code}
              </code>
              <Button onClick={() => set({ code: EVERYWHERE })}>Any reason</Button>
            </div>
          )}
        </Field>
      )}
      {measure === 'standing' ? null : (
        <Field
          label={measure === 'share' ? 'Percent or more' : 'Count or more'}
          error={problems.threshold}
        >
          {(control) => (
            <Input
              {...control}
              inputMode="decimal"
              value={draft.threshold}
              onChange={({ currentTarget }) => set({ threshold: currentTarget.value })}
            />
          )}
        </Field>
      )}
      <Field label="Window in minutes" hint="1 to 1440 (a day)." error={problems.windowMinutes}>
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            value={draft.windowMinutes}
            onChange={({ currentTarget }) => set({ windowMinutes: currentTarget.value })}
          />
        )}
      </Field>
    </div>
  )
}

'use client'
// Feedback providers: one card each, with the three triggers, and the buttons that add one.
import type { FeedbackProviderDocument } from '@signalbox/core'
import { describeProvider } from '@signalbox/core/analysis'
import { Plus } from 'lucide-react'
import { type JsonPath, removeValue, setValue } from '@/components/kit/diff/json-edit.ts'
import { freeId, listAt, stringAt } from '@/components/kit/diff/json-values.ts'
import { Button } from '@/components/ui/button.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { NEW_PROVIDERS } from '../new-rules.ts'
import { NumberField, TextField, ToggleField } from './fields.tsx'
import { useForm } from './form-context.tsx'
import { RuleCard } from './rule-card.tsx'
import { AddCustom, UnknownRule } from './unknown-rule.tsx'
import { useWords } from './use-words.ts'

const LIST = ['feedback_providers'] as const

interface PathProps {
  readonly path: JsonPath
}

function DeadlineFields({ path }: PathProps) {
  return (
    <NumberField
      path={[...path, 'warning_threshold_seconds']}
      label="Warning from (seconds left)"
      placeholder="120"
    />
  )
}

function StaticFields({ path }: PathProps) {
  return <TextField path={[...path, 'feedback']} label="Feedback" multiline required />
}

function ToolUsageFields({ path }: PathProps) {
  return (
    <NumberField
      path={[...path, 'max_calls_without_progress']}
      label="Caution above (calls)"
      placeholder="20"
    />
  )
}

function RepeatedFailureFields({ path }: PathProps) {
  return (
    <div className="flex flex-wrap gap-3">
      <NumberField path={[...path, 'times']} label="Failures in a row" placeholder="3" />
      <TextField path={[...path, 'tool']} label="Tool" placeholder="any" />
    </div>
  )
}

function RepeatedCallFields({ path }: PathProps) {
  return <NumberField path={[...path, 'times']} label="Equal calls in a row" placeholder="3" />
}

const PROVIDER_FORMS = [
  {
    label: 'Deadline',
    rule: NEW_PROVIDERS.deadline,
    Fields: DeadlineFields,
  },
  {
    label: 'Static',
    rule: NEW_PROVIDERS.static,
    Fields: StaticFields,
  },
  {
    label: 'Tool usage',
    rule: NEW_PROVIDERS.tool_usage,
    Fields: ToolUsageFields,
  },
  {
    label: 'Repeated failure',
    rule: NEW_PROVIDERS.repeated_failure,
    Fields: RepeatedFailureFields,
  },
  {
    label: 'Repeated call',
    rule: NEW_PROVIDERS.repeated_call,
    Fields: RepeatedCallFields,
  },
] as const

export function ProviderList() {
  const { value, add } = useForm()
  const providers = listAt(value, LIST)
  return (
    <div className="flex flex-col gap-3">
      {providers.map((_, index) => (
        // The place in the list is the identity of a rule while its id is being typed.
        <ProviderCard key={`provider-${String(index)}`} path={[...LIST, index]} />
      ))}
      {providers.length > 1 && (
        <ToggleField
          path={['feedback_exclusive']}
          label="Only the first matching provider delivers"
          absent={false}
        />
      )}
      <div className="flex flex-wrap gap-2">
        {PROVIDER_FORMS.map(({ label, rule }) => (
          <Button key={label} onClick={() => add(LIST, { ...rule, id: freeId(value, rule.id) })}>
            <Plus size={14} aria-hidden /> {label}
          </Button>
        ))}
        <AddCustom kind="feedback_provider" onAdd={(rule) => add(LIST, rule)} />
      </div>
    </div>
  )
}

function ProviderCard({ path }: { readonly path: JsonPath }) {
  const { value } = useForm()
  const type = stringAt(value, [...path, 'type'])
  // useWords gives null unless the whole document has the shape of a config.
  const words = useWords(path, (rule) => describeProvider(rule as FeedbackProviderDocument))
  const known = PROVIDER_FORMS.find(({ rule }) => rule.type === type)
  const trigger = <Trigger path={[...path, 'trigger']} />
  if (known === undefined) {
    return (
      <UnknownRule path={path} type={type} words={words} hasMode>
        {trigger}
      </UnknownRule>
    )
  }
  const { label, Fields } = known
  return (
    <RuleCard path={path} noun={label} words={words} hasMode>
      <Fields path={path} />
      {trigger}
    </RuleCard>
  )
}

function Trigger({ path }: { readonly path: JsonPath }) {
  const { value, edit } = useForm()
  const file = [...path, 'on_file_created', 'filename']
  return (
    <div className="flex flex-wrap gap-3">
      <NumberField path={[...path, 'every_n_calls']} label="Every n calls" placeholder="–" />
      <NumberField path={[...path, 'every_n_seconds']} label="Every n seconds" placeholder="–" />
      <div className="min-w-40 flex-1">
        <Field label="Once when a file exists">
          {(control) => (
            <Input
              {...control}
              placeholder="AGENTS.md"
              value={stringAt(value, file)}
              spellCheck={false}
              className="font-mono text-mono"
              onChange={({ target }) =>
                edit(
                  (text) =>
                    target.value === ''
                      ? removeValue(text, [...path, 'on_file_created'])
                      : setValue(text, file, target.value),
                  true,
                )
              }
            />
          )}
        </Field>
      </div>
    </div>
  )
}

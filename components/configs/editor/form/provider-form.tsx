'use client'
import type { FeedbackProviderDocument } from '@signalbox/core'
import { describeProvider, TRIGGER_WORDS } from '@signalbox/core/analysis'
import { PROVIDER_FORMS } from '@signalbox/core/lint'
import { type JsonPath, removeValue, setValue } from '@/components/kit/diff/json-edit.ts'
import { listAt, stringAt } from '@/components/kit/diff/json-values.ts'
import { Field, Input } from '@/components/ui/input.tsx'
import { AddRule } from './add-rule.tsx'
import { NumberField, ToggleField } from './fields.tsx'
import { useForm } from './form-context.tsx'
import { RuleCard } from './rule-card.tsx'
import { RuleFields } from './rule-fields.tsx'
import { RuleTrial } from './rule-trial.tsx'
import { UnknownRule } from './unknown-rule.tsx'
import { useWords } from './use-words.ts'

const LIST = ['feedback_providers'] as const

/** A map, because the document may have any text as a type. */
const TYPES = new Map(Object.entries(PROVIDER_FORMS))

export function ProviderList() {
  const { value, add } = useForm()
  const providers = listAt(value, LIST)
  return (
    <div className="flex flex-col gap-3">
      {providers.map((_, index) => (
        // Cards are identified by position, because an id changes while it is typed.
        <ProviderCard key={`provider-${String(index)}`} path={[...LIST, index]} />
      ))}
      {providers.length > 1 && (
        <ToggleField
          path={['feedback_exclusive']}
          label="Only the first matching provider delivers"
          absent={false}
        />
      )}
      <AddRule kind="feedback_provider" onAdd={(rule) => add(LIST, rule)} />
    </div>
  )
}

function ProviderCard({ path }: { readonly path: JsonPath }) {
  const { value } = useForm()
  const type = stringAt(value, [...path, 'type'])
  // useWords calls this only if the whole document has the shape of a config.
  const words = useWords(path, (rule) => describeProvider(rule as FeedbackProviderDocument))
  const known = TYPES.get(type)
  const trigger = <Trigger path={[...path, 'trigger']} />
  if (known === undefined) {
    return (
      <UnknownRule path={path} type={type} words={words} hasMode>
        {trigger}
      </UnknownRule>
    )
  }
  const { label, fields } = known
  return (
    <RuleCard path={path} noun={label} words={words} hasMode>
      <RuleFields path={path} fields={fields} />
      {trigger}
      <RuleTrial kind="feedback_provider" path={path} />
    </RuleCard>
  )
}

function Trigger({ path }: { readonly path: JsonPath }) {
  return (
    <div className="flex flex-wrap gap-3">
      {Object.entries(TRIGGER_WORDS).map(([condition, { control, label, placeholder }]) => {
        const place = { path: [...path, condition], label, placeholder }
        return control === 'file' ? (
          <FileField key={condition} {...place} />
        ) : (
          <NumberField key={condition} {...place} />
        )
      })}
    </div>
  )
}

function FileField({
  path,
  label,
  placeholder,
}: {
  readonly path: JsonPath
  readonly label: string
  readonly placeholder: string
}) {
  const { value, edit } = useForm()
  const file = [...path, 'filename']
  return (
    <div className="min-w-40 flex-1">
      <Field label={label}>
        {(control) => (
          <Input
            {...control}
            placeholder={placeholder}
            value={stringAt(value, file)}
            spellCheck={false}
            className="font-mono text-mono"
            onChange={({ target }) =>
              edit(
                (text) =>
                  target.value === ''
                    ? removeValue(text, path)
                    : setValue(text, file, target.value),
                true,
              )
            }
          />
        )}
      </Field>
    </div>
  )
}

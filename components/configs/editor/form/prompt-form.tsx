'use client'
import { REDACTION_FORM } from '@signalbox/core/lint'
import { Plus, X } from 'lucide-react'
import { useId, useState } from 'react'
import {
  insertItem,
  type JsonPath,
  removeValue,
  setValue,
} from '@/components/kit/diff/json-edit.ts'
import { freeId, listAt, objectAt, stringAt } from '@/components/kit/diff/json-values.ts'
import { Button, IconButton } from '@/components/ui/button.tsx'
import { InfoPopover } from '@/components/ui/info-popover.tsx'
import { Input } from '@/components/ui/input.tsx'
import { ContentList } from './content-form.tsx'
import { ChipsField, ChoiceField, NumberField, TextField } from './fields.tsx'
import { useForm } from './form-context.tsx'
import { PolicyList } from './policy-form.tsx'
import { RuleCard } from './rule-card.tsx'
import { RuleFields } from './rule-fields.tsx'

export function PromptFields() {
  const { value } = useForm()
  const prompt = `${stringAt(value, ['ns'])}:${stringAt(value, ['key'])}`
  return (
    <div className="flex flex-col gap-3">
      <TextField path={['name']} label="Prompt name" placeholder={prompt} />
      <TextField path={['description']} label="Description" multiline />
      <TextField
        path={['extends']}
        label="Extends"
        placeholder="ns/key@version of another config"
      />
      <Aliases />
    </div>
  )
}

function Aliases() {
  const { value, edit } = useForm()
  const [typed, setTyped] = useState({ harness: '', tool: '' })
  const names = Object.keys(objectAt(value, ['aliases']))
  const { harness, tool } = typed
  const titleId = useId()
  const add = () => {
    if (harness.trim() === '' || tool.trim() === '') return
    edit((text) => setValue(text, ['aliases', harness.trim()], tool.trim()))
    setTyped({ harness: '', tool: '' })
  }
  return (
    <fieldset aria-labelledby={titleId} className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 flex items-center font-medium text-small text-text-2">
        <span id={titleId}>Tool aliases: name in the harness → name in rules</span>
        <InfoPopover term="a canonical name" page="/docs/how-to/name-tools">
          The name of a tool that rules use. An alias gives a tool of one harness this name, so that
          one rule covers every harness.
        </InfoPopover>
      </legend>
      {names.map((name, index) => (
        <div
          key={`alias-${String(index)}`}
          className="grid grid-cols-[1fr_1fr_28px] items-center gap-2"
        >
          <code className="truncate">{name}</code>
          <Input
            aria-label={`Canonical name of ${name}`}
            value={stringAt(value, ['aliases', name])}
            onChange={({ target }) =>
              edit((text) => setValue(text, ['aliases', name], target.value), true)
            }
            className="font-mono text-mono"
          />
          <IconButton
            label={`Remove the alias ${name}`}
            onClick={() =>
              edit((text) =>
                removeValue(text, names.length === 1 ? ['aliases'] : ['aliases', name]),
              )
            }
          >
            <X size={14} aria-hidden />
          </IconButton>
        </div>
      ))}
      <div className="grid grid-cols-[1fr_1fr_28px] gap-2">
        <Input
          aria-label="Tool name in the harness"
          placeholder="Write"
          value={harness}
          onChange={({ target }) => setTyped({ harness: target.value, tool })}
          className="font-mono text-mono"
        />
        <Input
          aria-label="Canonical tool name"
          placeholder="write_file"
          value={tool}
          onChange={({ target }) => setTyped({ harness, tool: target.value })}
          onKeyDown={(event) => event.key === 'Enter' && add()}
          className="font-mono text-mono"
        />
        <IconButton label="Add the alias" onClick={add}>
          <Plus size={14} aria-hidden />
        </IconButton>
      </div>
    </fieldset>
  )
}

export function SectionList({ path }: { readonly path: JsonPath }) {
  const { value, add } = useForm()
  return (
    <div className="flex flex-col gap-3">
      {listAt(value, path).map((_, index) => (
        // Cards are identified by position, because an id changes while it is typed.
        <SectionCard key={`section-${String(index)}`} path={[...path, index]} />
      ))}
      <Button
        className="self-start"
        onClick={() => add(path, { id: freeId(value, 'section'), tools: [] })}
      >
        <Plus size={14} aria-hidden /> Section
      </Button>
    </div>
  )
}

function SectionCard({ path }: { readonly path: JsonPath }) {
  const { value } = useForm()
  const policies = listAt(value, [...path, 'policies']).length
  const content = listAt(value, [...path, 'content']).length
  const sections = listAt(value, [...path, 'sections']).length
  return (
    <RuleCard path={path} noun="Section" words={null}>
      <TextField path={[...path, 'title']} label="Title" />
      <ChipsField path={[...path, 'tools']} label="Tools" />
      <details open={policies > 0}>
        <summary className="min-h-6 text-small text-text-2">
          Policies for these tools only ({policies})
        </summary>
        <div className="mt-2">
          <PolicyList path={[...path, 'policies']} />
        </div>
      </details>
      <details open={content > 0}>
        <summary className="min-h-6 text-small text-text-2">
          Content rules for these tools only ({content})
        </summary>
        <div className="mt-2">
          <ContentList path={[...path, 'content']} />
        </div>
      </details>
      <details open={sections > 0}>
        <summary className="min-h-6 text-small text-text-2">Sections within ({sections})</summary>
        <div className="mt-2">
          <SectionList path={[...path, 'sections']} />
        </div>
      </details>
    </RuleCard>
  )
}

const AT_THE_END = [
  { value: 'warning', label: 'warn' },
  { value: 'error', label: 'fail the run' },
] as const

const LEASE_FIELDS = [
  { name: 'visibility_timeout', label: 'Visibility timeout', placeholder: '1800' },
  { name: 'watchdog_threshold', label: 'Watchdog threshold', placeholder: '720' },
  { name: 'max_processing_time', label: 'Longest processing', placeholder: '600' },
  { name: 'extension', label: 'Extension', placeholder: '300' },
  { name: 'interval', label: 'Interval', placeholder: '60' },
] as const

export function LimitFields() {
  return (
    <div className="flex flex-col gap-3">
      <NumberField
        path={['limits', 'max_stop_blocks']}
        label="Maximum blocked stops"
        placeholder="10"
        hint="After this many, a stop is allowed and recorded as bypassed. 0 turns blocking off: the checks only record what they would block."
      />
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium text-small text-text-2">
          Output before the task is complete
        </span>
        <ChoiceField
          path={['final_verification']}
          label="Output before the task is complete"
          options={AT_THE_END}
          absent="warning"
        />
      </div>
      <details>
        <summary className="min-h-6 text-small text-text-2">Queue message lease</summary>
        <div className="mt-2 flex flex-wrap items-end gap-3">
          <InfoPopover term="a lease" page="/docs/specs/leases">
            The time for which a received queue message is hidden from other workers. Beats of the
            agent extend it; when it ends, another worker gets the message.
          </InfoPopover>
          {LEASE_FIELDS.map(({ name, label, placeholder }) => (
            <NumberField
              key={name}
              path={['lease', name]}
              label={`${label} (s)`}
              placeholder={placeholder}
            />
          ))}
        </div>
      </details>
    </div>
  )
}

export function RedactionList() {
  const { value, edit } = useForm()
  const { label, sample, fields } = REDACTION_FORM
  const path = ['redaction']
  return (
    <div className="flex flex-col gap-3">
      {listAt(value, path).map((_, index) => (
        // Cards are identified by position, because an id changes while it is typed.
        <RuleCard
          key={`redaction-${String(index)}`}
          path={[...path, index]}
          noun={label}
          words={null}
        >
          <RuleFields path={[...path, index]} fields={fields} />
        </RuleCard>
      ))}
      <Button
        className="self-start"
        onClick={() =>
          edit((text) =>
            insertItem(text, path, {
              index: Number.MAX_SAFE_INTEGER,
              value: { ...sample, id: freeId(value, sample.id) },
            }),
          )
        }
      >
        <Plus size={14} aria-hidden /> {label}
      </Button>
    </div>
  )
}

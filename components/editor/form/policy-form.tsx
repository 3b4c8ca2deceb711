'use client'
// Policies: one card per rule, and the buttons that add one.
import type { PolicyDocument } from '@signalbox/core'
import { describePolicy } from '@signalbox/core/views'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '@/components/ui/button.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { insertItem, type JsonPath, removeValue, renameKey, setValue } from '../json-edit.ts'
import { ChipsField, TextField, ToggleField } from './fields.tsx'
import { freeId, listAt, objectAt, stringAt, useForm, valueAt } from './form-context.tsx'
import { RuleCard } from './rule-card.tsx'
import { UnknownRule } from './unknown-rule.tsx'
import { useWords } from './use-words.ts'

const LAST = Number.MAX_SAFE_INTEGER

const NEW_POLICIES = {
  sequential_dependency: {
    label: 'Sequential dependency',
    rule: { id: 'order', type: 'sequential_dependency', dependencies: {} },
  },
  read_before_write: {
    label: 'Read before write',
    rule: {
      id: 'read-before-write',
      type: 'read_before_write',
      read_tools: ['read_file'],
      write_tools: ['write_file'],
    },
  },
} as const

export function PolicyList({ path }: { readonly path: JsonPath }) {
  const { value, edit } = useForm()
  return (
    <div className="flex flex-col gap-3">
      {listAt(value, path).map((_, index) => (
        // The place in the list is the identity of a rule while its id is being typed.
        <PolicyCard key={`policy-${String(index)}`} path={[...path, index]} />
      ))}
      <div className="flex flex-wrap gap-2">
        {Object.values(NEW_POLICIES).map(({ label, rule }) => (
          <Button
            key={label}
            onClick={() =>
              edit((text) =>
                insertItem(text, path, {
                  index: LAST,
                  value: { ...rule, id: freeId(value, rule.id) },
                }),
              )
            }
          >
            <Plus size={14} aria-hidden /> {label}
          </Button>
        ))}
      </div>
    </div>
  )
}

function PolicyCard({ path }: { readonly path: JsonPath }) {
  const { value } = useForm()
  const type = stringAt(value, [...path, 'type'])
  // useWords gives null unless the whole document has the shape of a config.
  const words = useWords(path, (rule) => describePolicy(rule as PolicyDocument))
  if (type === 'sequential_dependency') {
    return (
      <RuleCard path={path} noun="Sequential dependency" words={words} hasMode>
        <Dependencies path={[...path, 'dependencies']} />
      </RuleCard>
    )
  }
  if (type === 'read_before_write') {
    return (
      <RuleCard path={path} noun="Read before write" words={words} hasMode>
        <ChipsField path={[...path, 'read_tools']} label="Tools that read" keepEmpty />
        <ChipsField path={[...path, 'write_tools']} label="Tools that write" keepEmpty />
        <ToggleField
          path={[...path, 'reads_expire_on_change']}
          label="A file that changed since it was read must be read again"
          absent
        />
        <ToggleField
          path={[...path, 'writes_count_as_reads']}
          label="What the agent wrote itself counts as read"
          absent
        />
        <details>
          <summary className="min-h-6 text-small text-text-2">Paths</summary>
          <div className="mt-2 flex flex-col gap-3">
            <ChipsField
              path={[...path, 'path_params']}
              label="Arguments that hold the path"
              hint="Absent: path, file_path"
              adding="add argument"
            />
            <TextField
              path={[...path, 'mount_point']}
              label="Mount point"
              placeholder="/workspace"
              hint="Prefix under which the tools see the workspace"
            />
          </div>
        </details>
      </RuleCard>
    )
  }
  return <UnknownRule path={path} type={type} />
}

function Dependencies({ path }: { readonly path: JsonPath }) {
  const { value, edit } = useForm()
  const tools = Object.keys(objectAt(value, path))
  const [tool, setTool] = useState('')
  const add = () => {
    const name = tool.trim()
    if (name !== '' && valueAt(value, [...path, name]) === undefined) {
      edit((text) => setValue(text, [...path, name], []))
    }
    setTool('')
  }
  return (
    <div className="flex flex-col gap-2">
      {tools.map((name, index) => (
        <div
          key={`dependency-${String(index)}`}
          className="grid grid-cols-[minmax(80px,1fr)_2fr_28px] items-start gap-2"
        >
          <ToolName path={[...path, name]} name={name} />
          <ChipsField path={[...path, name]} label="Needs first" keepEmpty />
          <IconButton
            label={`Remove the prerequisites of ${name}`}
            className="mt-5"
            onClick={() => edit((text) => removeValue(text, [...path, name]))}
          >
            <X size={14} aria-hidden />
          </IconButton>
        </div>
      ))}
      <div className="flex gap-2">
        <Input
          aria-label="Tool that needs others first"
          placeholder="+ tool that needs others first"
          value={tool}
          onChange={(event) => setTool(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            add()
          }}
          onBlur={add}
          className="font-mono text-mono"
        />
      </div>
    </div>
  )
}

/** Renames the key when it is left or confirmed; a name that is taken stays as it was. */
function ToolName({ path, name }: { readonly path: JsonPath; readonly name: string }) {
  const { edit } = useForm()
  const [typed, setTyped] = useState<string | null>(null)
  const commit = () => {
    const next = (typed ?? name).trim()
    if (next !== '' && next !== name) edit((text) => renameKey(text, path, next))
    setTyped(null)
  }
  return (
    <Field label="Tool">
      {(control) => (
        <Input
          {...control}
          value={typed ?? name}
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => event.key === 'Enter' && commit()}
          className="font-mono text-mono"
        />
      )}
    </Field>
  )
}

'use client'
import { X } from 'lucide-react'
import { useState } from 'react'
import { type JsonPath, removeValue, renameKey, setValue } from '@/components/kit/diff/json-edit.ts'
import { objectAt, valueAt } from '@/components/kit/diff/json-values.ts'
import { IconButton } from '@/components/ui/button.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { ChipsField, TOOL_NAMES } from './fields.tsx'
import { useForm } from './form-context.tsx'

export function Dependencies({ path }: { readonly path: JsonPath }) {
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
          <ChipsField path={[...path, name]} label="Prerequisites" keepEmpty />
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
          aria-label="Tool with prerequisites"
          placeholder="+ tool with prerequisites"
          list={TOOL_NAMES}
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

/** A name already in use is refused. */
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
          list={TOOL_NAMES}
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

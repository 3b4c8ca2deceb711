'use client'
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import type { JsonPath } from '@/components/kit/diff/json-edit.ts'
import { toPointer } from '@/components/kit/diff/json-values.ts'
import { Button } from '@/components/ui/button.tsx'
import { ChipsField, ChoiceField, NumberField, TextField, ToggleField } from './fields.tsx'
import { useForm } from './form-context.tsx'

export function SchemaFields({
  path,
  schema,
}: {
  readonly path: JsonPath
  readonly schema: JsonObject
}) {
  const { properties, required } = schema
  if (!isJsonObject(properties)) return <AsJson path={path} label="Parameters" />
  const needed: readonly JsonValue[] = Array.isArray(required) ? required : []
  return (
    <>
      {Object.entries(properties).map(([name, property]) => (
        <SchemaField
          key={name}
          path={[...path, name]}
          schema={isJsonObject(property) ? property : {}}
          isRequired={needed.includes(name)}
        />
      ))}
    </>
  )
}

interface FieldOf {
  readonly path: JsonPath
  readonly schema: JsonObject
  readonly isRequired: boolean
}

function SchemaField({ path, schema, isRequired }: FieldOf) {
  const { title, description, type, enum: choices, items } = schema
  const name = typeof title === 'string' ? title : String(path.at(-1))
  const label = isRequired ? name : `${name} (optional)`
  const hint = typeof description === 'string' ? description : undefined
  const texts = listTexts(choices)
  if (texts !== null) {
    const options = texts.map((value) => ({ value, label: value }))
    // "Absent" is a choice of its own, so that a value is written only if the user chose it.
    return (
      <ChoiceField
        path={path}
        label={label}
        options={[NOT_SET, ...options]}
        absent={NOT_SET.value}
      />
    )
  }
  switch (type) {
    case 'string':
      return <TextField path={path} label={label} hint={hint} required={isRequired} />
    case 'number':
    case 'integer':
      return <NumberField path={path} label={label} hint={hint} />
    case 'boolean':
      return <ToggleField path={path} label={label} absent={schema['default'] === true} />
    case 'array':
      return isJsonObject(items) && items['type'] === 'string' && !('enum' in items) ? (
        <ChipsField path={path} label={label} hint={hint} adding="add" keepEmpty={isRequired} />
      ) : (
        <AsJson path={path} label={label} />
      )
    case 'object':
      return isJsonObject(schema['properties']) ? (
        <fieldset className="flex min-w-0 flex-col gap-3 border-border border-l-2 pl-3">
          <legend className="font-medium text-small text-text-2">{label}</legend>
          <SchemaFields path={path} schema={schema} />
        </fieldset>
      ) : (
        <AsJson path={path} label={label} />
      )
    default:
      return <AsJson path={path} label={label} />
  }
}

const NOT_SET = { value: '', label: 'not set' } as const

function listTexts(choices: JsonValue | undefined): readonly string[] | null {
  if (!Array.isArray(choices)) return null
  const values: readonly JsonValue[] = choices
  const texts = values.filter((value) => typeof value === 'string')
  return texts.length === values.length && texts.length > 0 ? texts : null
}

function AsJson({ path, label }: { readonly path: JsonPath; readonly label: string }) {
  const { show } = useForm()
  // If the parameter does not exist yet, the rule around it is shown.
  return (
    <div className="flex flex-wrap items-center gap-2 text-text-2">
      {label}: edited as JSON.
      <Button onClick={() => show(toPointer(path))}>Show in the JSON</Button>
    </div>
  )
}

'use client'

import type { FormField } from '@signalbox/core/lint'
import type { ReactNode } from 'react'
import type { JsonPath } from '@/components/kit/diff/json-edit.ts'
import { Dependencies } from './dependency-fields.tsx'
import { ExpressionField } from './expression-field.tsx'
import { ChipsField, ChoiceField, NumberField, TextField, ToggleField } from './fields.tsx'

interface FieldsProps {
  readonly path: JsonPath
  readonly fields: readonly FormField[]
  /** Absent: rules of this kind contain none. */
  readonly checkers?: (path: JsonPath) => ReactNode
}

export function RuleFields({ fields, ...around }: FieldsProps) {
  return fields.map((field) => <RuleField key={fieldKey(field)} field={field} {...around} />)
}

function fieldKey(field: FormField): string {
  switch (field.control) {
    case 'note':
      return field.text
    case 'row':
      return field.fields.map(fieldKey).join(' ')
    case 'details':
      return field.label
    default:
      return field.field
  }
}

function RuleField({
  path,
  field,
  checkers,
}: Omit<FieldsProps, 'fields'> & { readonly field: FormField }): ReactNode {
  switch (field.control) {
    case 'names': {
      const { field: name, isRequired = false, label, hint, adding } = field
      return (
        <ChipsField
          path={[...path, name]}
          label={label}
          hint={hint}
          keepEmpty={isRequired}
          {...(adding === undefined ? {} : { adding })}
        />
      )
    }
    case 'number': {
      const { field: name, label, hint, placeholder } = field
      return (
        <NumberField
          path={[...path, name]}
          label={label}
          hint={hint}
          {...(placeholder === undefined ? {} : { placeholder: String(placeholder) })}
        />
      )
    }
    case 'text': {
      const { field: name, label, hint, placeholder, isLong = false, ...flags } = field
      const { isRequired = false, isTool = false } = flags
      return (
        <TextField
          path={[...path, name]}
          label={label}
          hint={hint}
          multiline={isLong}
          isTool={isTool}
          required={isRequired}
          {...(placeholder === undefined ? {} : { placeholder })}
        />
      )
    }
    case 'expression': {
      const { field: name, label, hint, place, placeholder, isRequired = false } = field
      return (
        <ExpressionField
          path={[...path, name]}
          label={label}
          hint={hint}
          place={place}
          required={isRequired}
          {...(placeholder === undefined ? {} : { placeholder })}
        />
      )
    }
    case 'choice': {
      const { field: name, label, options, absent = '' } = field
      return (
        <div className="flex flex-wrap items-center gap-2">
          <span className="font-medium text-small text-text-2">{label}</span>
          <ChoiceField
            path={[...path, name]}
            label={label}
            options={options.map(([value, words]) => ({ value, label: words }))}
            absent={absent}
          />
        </div>
      )
    }
    case 'toggle':
      return <ToggleField path={[...path, field.field]} label={field.label} absent={field.absent} />
    case 'prerequisites':
      return <Dependencies path={[...path, field.field]} />
    case 'checkers':
      return checkers?.(path)
    case 'note':
      return <p className="text-small text-text-2">{field.text}</p>
    case 'row':
      return (
        <div className="flex flex-wrap gap-3">
          <RuleFields path={path} fields={field.fields} />
        </div>
      )
    case 'details':
      return (
        <details>
          <summary className="min-h-6 text-small text-text-2">{field.label}</summary>
          <div className="mt-2 flex flex-col gap-3">
            <RuleFields path={path} fields={field.fields} />
          </div>
        </details>
      )
    default:
      return field satisfies never
  }
}

import { createFormHookContexts } from '@tanstack/react-form'

export const { fieldContext, useFieldContext, formContext, useFormContext } =
  createFormHookContexts()

export function toControlId(formId: string, name: string): string {
  return `${formId}-${name}`
}

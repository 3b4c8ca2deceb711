import { createFormHookContexts } from '@tanstack/react-form'

export const { fieldContext, useFieldContext, formContext, useFormContext } =
  createFormHookContexts()

/** Id of the control of a field, by which a refused one is found and focused. */
export function toControlId(formId: string, name: string): string {
  return `${formId}-${name}`
}

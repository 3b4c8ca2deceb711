import { createFormHookContexts } from '@tanstack/react-form'

export const { fieldContext, useFieldContext, formContext, useFormContext } =
  createFormHookContexts()

/** Id of a field's control, by which the form focuses the first refused field. */
export function toControlId(formId: string, name: string): string {
  return `${formId}-${name}`
}

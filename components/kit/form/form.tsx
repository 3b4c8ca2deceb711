'use client'
// The first field with an error gets the focus. Loaded with the dialogs and forms that use it, never with the frame of a page.
import { createFormHook, useStore } from '@tanstack/react-form'
import { isTRPCClientError } from '@trpc/client'
import type { ComponentProps, ComponentType, PropsWithChildren } from 'react'
import type { z } from 'zod'
import { Button } from '@/components/ui/button.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'
import { CheckboxField, ChoicesField, SelectField, TextareaField, TextField } from './fields.tsx'
import { fieldContext, formContext, toControlId, useFormContext } from './form-context.ts'
import { type InputRefusal, placeRefusals } from './place-refusals.ts'

/** A refusal that is no error of the procedure. `field`: the refused input; undefined: the whole input. */
export class RefusedInput extends Error {
  readonly field: string | undefined

  constructor(message: string, field?: string) {
    super(message)
    this.name = 'RefusedInput'
    this.field = field
  }
}

function toRefusal(error: unknown): InputRefusal {
  if (error instanceof RefusedInput) return error
  const message = error instanceof Error ? error.message : String(error)
  const field = isTRPCClientError<AppRouter>(error) ? error.data?.field : undefined
  return { message, field }
}

const { useAppForm, withFieldGroup } = createFormHook({
  fieldContext,
  formContext,
  fieldComponents: { TextField, TextareaField, SelectField, CheckboxField, ChoicesField },
  formComponents: {},
})

export { withFieldGroup }

/** `toInput` null: a required field is empty, nothing is sent. A field has its input's name. `send` rejects if the server refuses. */
export function useServerForm<Values extends object, Input>({
  values,
  schema,
  toInput,
  send,
}: {
  readonly values: Values
  /** Absent: only the server checks. Used by forms inside pages, so that the page does not load zod. */
  readonly schema?: z.ZodType<unknown, Input>
  readonly toInput: (values: Values) => Input | null
  readonly send: (input: Input) => Promise<unknown>
}) {
  return useAppForm({
    defaultValues: values,
    onSubmit: async ({ value, formApi }) => {
      const refuse = (refusals: readonly InputRefusal[]) => {
        const { errors, first } = placeRefusals(formApi.fieldInfo, refusals)
        formApi.setErrorMap({ onSubmit: errors })
        if (first !== undefined) {
          document.getElementById(toControlId(formApi.formId, first))?.focus()
        }
      }
      const input = toInput(value)
      if (input === null) return
      const error = schema?.safeParse(input).error
      if (error === undefined) {
        await send(input).catch((refused: unknown) => refuse([toRefusal(refused)]))
      } else {
        refuse(error.issues.map(({ message, path }) => ({ message, field: path.join('.') })))
      }
    },
  })
}

interface Submitted {
  readonly AppForm: ComponentType<PropsWithChildren>
  readonly handleSubmit: () => Promise<void>
  readonly setErrorMap: (errors: {
    readonly onSubmit: { readonly form: undefined; readonly fields: object }
  }) => void
}

export function submitForm({ setErrorMap, handleSubmit }: Submitted): void {
  // Clears the refusals of the last attempt, which would block the next one.
  setErrorMap({ onSubmit: { form: undefined, fields: {} } })
  void handleSubmit()
}

/** The form element. With `id`, a button outside can submit it. */
export function Form({
  form,
  className = 'flex flex-col gap-3',
  children,
  ...element
}: Omit<ComponentProps<'form'>, 'onSubmit'> & { readonly form: Submitted }) {
  return (
    <form.AppForm>
      <form
        {...element}
        className={className}
        onSubmit={(event) => {
          event.preventDefault()
          submitForm(form)
        }}
      >
        {children}
      </form>
    </form.AppForm>
  )
}

export function Submit({ disabled = false, ...button }: ComponentProps<typeof Button>) {
  const form = useFormContext()
  const isSubmitting = useStore(form.store, (state) => state.isSubmitting)
  return <Button type="submit" {...button} disabled={disabled || isSubmitting} />
}

/** Foot of a dialog whose form is its content. `children`: the button that submits. */
export function FormFoot({
  onCancel,
  children,
}: PropsWithChildren<{ readonly onCancel: () => void }>) {
  return (
    <div className="-mx-4 -mb-3 mt-1 flex justify-end gap-2 border-border border-t px-4 py-3">
      <Button onClick={onCancel}>Cancel</Button>
      {children}
    </div>
  )
}

/** Shows the refusal that no field shows. `before`: consequence for the user, shown first. */
export function FormProblem({ before = '' }: { readonly before?: string }) {
  const form = useFormContext()
  const problem = useStore(form.store, (state) => state.errorMap.onSubmit)
  return <ErrorLine>{typeof problem === 'string' ? `${before}${problem}` : undefined}</ErrorLine>
}

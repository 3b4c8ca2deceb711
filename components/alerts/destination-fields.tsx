'use client'

import { useQuery } from '@tanstack/react-query'
import { withFieldGroup } from '@/components/kit/form/form.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { DESTINATION_KIND_NAMES, destinationKind } from '@/server/alerts/destination.kinds.ts'
import { NEW_DESTINATION } from './rule-draft.ts'

const KINDS = DESTINATION_KIND_NAMES.map((value) => ({
  value,
  label: destinationKind(value).label,
}))

export const DestinationFields = withFieldGroup({
  defaultValues: NEW_DESTINATION,
  props: { kindLabel: '' },
  /** `kindLabel`: accessible name of the select of kinds, which distinguishes it from others. */
  render: function DestinationFields({ group, kindLabel }) {
    const trpc = useTRPC()
    const mail = useQuery(trpc.alerts.mail.queryOptions()).data
    return (
      <>
        <group.AppField name="kind">
          {(field) => (
            <field.SelectField label="Kind" name={kindLabel} options={KINDS} className="w-44" />
          )}
        </group.AppField>
        <div className="min-w-0 flex-1">
          <group.Subscribe selector={({ values }) => values.kind}>
            {(kind) => {
              const { field: label, placeholder, hint } = destinationKind(kind)
              return (
                <group.AppField name="url">
                  {(field) => (
                    <field.TextField
                      label={label}
                      hint={kind === 'email' ? mailHint(mail?.from) : hint}
                      type={kind === 'email' ? 'email' : kind === 'pagerduty' ? 'text' : 'url'}
                      placeholder={placeholder}
                    />
                  )}
                </group.AppField>
              )
            }}
          </group.Subscribe>
        </div>
      </>
    )
  },
})

/** `from`: sender address; null: the server sends no email; undefined: not loaded. */
function mailHint(from: string | null | undefined): string | undefined {
  if (from === undefined) return undefined
  return from === null
    ? 'Email is not configured on this server. The operator must set SIGNALBOX_SMTP_URL and SIGNALBOX_MAIL_FROM.'
    : `Sent from ${from}.`
}

// One destination of alerts: its kind and its address.
'use client'

import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import type { DraftDestination } from './rule-draft.ts'

export const KINDS = [
  { value: 'webhook', label: 'Webhook, signed' },
  { value: 'chat', label: 'Chat' },
  { value: 'email', label: 'E-mail' },
] as const

export function DestinationField({
  destination,
  label,
  problem,
  onChange,
}: {
  readonly destination: DraftDestination
  /** Distinguishes the kind's select from the others on the page. */
  readonly label: string
  readonly problem: string | undefined
  readonly onChange: (destination: DraftDestination) => void
}) {
  const trpc = useTRPC()
  const mail = useQuery(trpc.alerts.mail.queryOptions()).data
  const isMail = destination.kind === 'email'
  return (
    <>
      <Field label="Kind">
        {(control) => (
          <Select
            id={control.id}
            className="w-36"
            label={label}
            value={destination.kind}
            options={KINDS}
            onChange={(kind) => onChange({ ...destination, kind })}
          />
        )}
      </Field>
      <div className="min-w-0 flex-1">
        <Field label="Address" hint={isMail ? mailHint(mail?.from) : undefined} error={problem}>
          {(control) => (
            <Input
              {...control}
              type={isMail ? 'email' : 'url'}
              placeholder={isMail ? 'team@example.com' : 'https://'}
              value={destination.url}
              onChange={({ currentTarget }) =>
                onChange({ ...destination, url: currentTarget.value })
              }
            />
          )}
        </Field>
      </div>
    </>
  )
}

/** `from`: null: the server sends none; undefined: not known yet. */
function mailHint(from: string | null | undefined): string | undefined {
  if (from === undefined) return undefined
  return from === null
    ? 'E-mail is not configured on this server. The operator must set SIGNALBOX_SMTP_URL and SIGNALBOX_MAIL_FROM.'
    : `Sent from ${from}.`
}

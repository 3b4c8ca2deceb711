// Who is told when a rule fires.
'use client'

import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { useTRPC } from '@/components/trpc-provider.tsx'
import { Button, IconButton } from '@/components/ui/button.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import type { Draft, DraftDestination, Problems } from './rule-draft.ts'

const KINDS = [
  { value: 'webhook', label: 'Webhook, signed' },
  { value: 'chat', label: 'Chat' },
  { value: 'email', label: 'E-mail' },
] as const

const MOST = 5

export function DestinationFields({
  draft: { destinations },
  set,
  problems,
}: {
  readonly draft: Draft
  readonly set: (change: Partial<Draft>) => void
  readonly problems: Problems
}) {
  const trpc = useTRPC()
  const mail = useQuery(trpc.alerts.mail.queryOptions()).data
  const change = (at: number, next: DraftDestination) =>
    set({ destinations: destinations.map((each, place) => (place === at ? next : each)) })
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 font-medium text-small text-text-2">Who is told</legend>
      {destinations.length === 0 ? (
        <p className="text-text-2">Nobody; the alert is shown here only.</p>
      ) : null}
      {destinations.map((destination, at) => (
        // Rows are told apart by their place only: two may be alike while they are typed.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above.
        <div key={at} className="flex items-end gap-2">
          <Field label="Kind">
            {(control) => (
              <Select
                id={control.id}
                className="w-36"
                label={`Kind of destination ${at + 1}`}
                value={destination.kind}
                options={KINDS}
                onChange={(kind) => change(at, { ...destination, kind })}
              />
            )}
          </Field>
          <div className="min-w-0 flex-1">
            <Field
              label="Address"
              hint={destination.kind === 'email' ? mailHint(mail?.from) : undefined}
              error={problems.destinations?.get(at)}
            >
              {(control) => (
                <Input
                  {...control}
                  type={destination.kind === 'email' ? 'email' : 'url'}
                  placeholder={destination.kind === 'email' ? 'team@example.com' : 'https://'}
                  value={destination.url}
                  onChange={({ currentTarget }) =>
                    change(at, { ...destination, url: currentTarget.value })
                  }
                />
              )}
            </Field>
          </div>
          <IconButton
            label={`Take destination ${at + 1} away`}
            onClick={() => set({ destinations: destinations.filter((_, place) => place !== at) })}
          >
            <X size={14} aria-hidden />
          </IconButton>
        </div>
      ))}
      {destinations.length < MOST ? (
        <Button
          className="self-start"
          onClick={() => set({ destinations: [...destinations, { kind: 'webhook', url: '' }] })}
        >
          <Plus size={14} aria-hidden />
          Add a destination
        </Button>
      ) : null}
    </fieldset>
  )
}

/** `from`: null: the server sends none; undefined: not known yet. */
function mailHint(from: string | null | undefined): string | undefined {
  if (from === undefined) return undefined
  return from === null
    ? 'This server sends no e-mail yet: whoever runs it sets SIGNALBOX_SMTP_URL and SIGNALBOX_MAIL_FROM.'
    : `Comes from ${from}.`
}

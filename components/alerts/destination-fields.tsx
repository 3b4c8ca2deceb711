// Destinations that a rule notifies when it fires.
'use client'

import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '@/components/ui/button.tsx'
import { DestinationField } from './destination-field.tsx'
import type { Draft, DraftDestination, Problems } from './rule-draft.ts'

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
  const change = (at: number, next: DraftDestination) =>
    set({ destinations: destinations.map((each, place) => (place === at ? next : each)) })
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 font-medium text-small text-text-2">Notify</legend>
      {destinations.length === 0 ? (
        <p className="text-text-2">No destination. The alert is only shown here.</p>
      ) : null}
      {destinations.map((destination, at) => (
        // Rows are told apart by their place only: two may be alike while they are typed.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above.
        <div key={at} className="flex items-end gap-2">
          <DestinationField
            destination={destination}
            label={`Kind of destination ${at + 1}`}
            problem={problems.destinations?.get(at)}
            onChange={(next) => change(at, next)}
          />
          <IconButton
            label={`Remove destination ${at + 1}`}
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

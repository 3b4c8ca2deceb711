'use client'
// Takes the payload of a recorded event, by its id, as a payload to test. It was redacted when it was recorded.
import { parseEventId } from '@signalbox/wire'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Field, Input } from '@/components/ui/input.tsx'

export function EventPicker({ onPick }: { readonly onPick: (json: string) => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [id, setId] = useState('')
  const [error, setError] = useState<string>()
  const pick = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const place = parseEventId(id.trim())
    if (place === null) {
      setError('An event id looks like evt_01…_12: the session page copies it.')
      return
    }
    const wanted = trpc.sessions.events.queryOptions({
      sessionId: place.session,
      seqs: [place.seq],
    })
    try {
      const [found] = await client.fetchQuery(wanted)
      setError(found === undefined ? 'There is no such event in this project.' : undefined)
      if (found !== undefined) onPick(found.data)
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : String(cause))
    }
  }
  return (
    <form onSubmit={(event) => void pick(event)} className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <Field
          label="Or a recorded event, by its id"
          hint="as it was stored, so with the marks of the rules of its time"
          error={error}
        >
          {(control) => (
            <Input
              {...control}
              className="font-mono text-mono"
              placeholder="evt_01…_12"
              value={id}
              onChange={(event) => setId(event.currentTarget.value)}
            />
          )}
        </Field>
      </div>
      <Button type="submit" className="mb-5">
        Take it
      </Button>
    </form>
  )
}

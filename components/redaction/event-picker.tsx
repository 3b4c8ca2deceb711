'use client'
// Takes the payload of a recorded event, by its id, as a payload to test. It was redacted when it was recorded.
import { parseEventId } from '@signalbox/wire'
import { useQueryClient } from '@tanstack/react-query'
import {
  Form,
  FormProblem,
  RefusedInput,
  Submit,
  useServerForm,
} from '@/components/kit/form/form.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'

const BLANK = { id: '' }

export function EventPicker({ onPick }: { readonly onPick: (json: string) => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const form = useServerForm({
    values: BLANK,
    toInput: ({ id }) => ({ place: parseEventId(id.trim()) }),
    send: async ({ place }) => {
      if (place === null) {
        const message = 'An event id looks like evt_01…_12: the session page copies it.'
        throw new RefusedInput(message, 'id')
      }
      const wanted = { sessionId: place.session, seqs: [place.seq] }
      const [found] = await client.fetchQuery(trpc.sessions.events.queryOptions(wanted))
      if (found === undefined) {
        throw new RefusedInput('There is no such event in this project.', 'id')
      }
      onPick(found.data)
    },
  })
  return (
    <Form form={form} className="flex flex-col gap-1">
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <form.AppField name="id">
            {(field) => (
              <field.TextField
                label="Or a recorded event, by its id"
                hint="as it was stored, so with the marks of the rules of its time"
                className="font-mono text-mono"
                placeholder="evt_01…_12"
              />
            )}
          </form.AppField>
        </div>
        <Submit className="mb-5">Take it</Submit>
      </div>
      <FormProblem />
    </Form>
  )
}

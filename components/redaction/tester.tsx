'use client'
// Redacted in this browser by the runtimes' own code.
import type { JsonValue, RedactionRuleDocument } from '@signalbox/core'
import { parseEventId, redactor } from '@signalbox/wire'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useDeferredValue, useMemo, useState } from 'react'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Field, Input, Textarea } from '@/components/ui/input.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import type { Workbench } from '@/server/configs/drafts.ts'
import { likelySecrets } from './likely-secrets.ts'
import { type RedactionMark, redactionMarks } from './redaction-marks.ts'
import { Suggestions } from './suggestions.tsx'

/** The payload was redacted when it was recorded. */
function EventPicker({ onPick }: { readonly onPick: (json: string) => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [id, setId] = useState('')
  const [error, setError] = useState<string>()
  const pick = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const place = parseEventId(id.trim())
    if (place === null) {
      setError('An event ID looks like evt_01…_12. Copy it on the session page.')
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
    <form onSubmit={(event) => void pick(event)}>
      <Field
        label="Or the ID of a recorded event"
        hint="as stored, with the redactions applied at that time"
        error={error}
      >
        {(control) => (
          <span className="flex gap-2">
            <Input
              {...control}
              className="min-w-0 font-mono text-mono"
              placeholder="evt_01…_12"
              value={id}
              onChange={(event) => setId(event.currentTarget.value)}
            />
            <Button type="submit">Use its payload</Button>
          </span>
        )}
      </Field>
    </form>
  )
}

const EXAMPLE = `{
  "command": "curl -H 'Authorization: Bearer …' https://api.example.com",
  "password": "hunter2",
  "customer": { "email": "kim@example.com" }
}`

type Read =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly why: string }

function read(text: string): Read {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { ok: false, why: `This is not JSON: ${why}. Put plain text in quotes.` }
  }
}

export function Tester({
  rules,
  workbench,
}: {
  readonly rules: readonly RedactionRuleDocument[]
  readonly workbench: Workbench
}) {
  const [text, setText] = useState(EXAMPLE)
  const tested = useDeferredValue(text)
  const result = useMemo(() => {
    const payload = read(tested)
    if (!payload.ok) return payload
    const stored = redactor(rules, [])(payload.value)
    return {
      ok: true as const,
      stored: JSON.stringify(stored, null, 2),
      marks: redactionMarks(payload.value, stored),
      left: likelySecrets(stored),
    }
  }, [tested, rules])
  return (
    <>
      <Card>
        <CardHeader title="Tester" aside="runs in this browser; nothing is sent or stored" />
        <div className="grid gap-3 p-3 md:grid-cols-2">
          <div className="min-w-0">
            <Field
              label="Payload: a call's arguments, an output or a message"
              error={result.ok ? undefined : result.why}
            >
              {(control) => (
                <Textarea
                  {...control}
                  rows={14}
                  spellCheck={false}
                  className="font-mono text-mono"
                  value={text}
                  onChange={(event) => setText(event.currentTarget.value)}
                />
              )}
            </Field>
          </div>
          <div className="flex min-w-0 flex-col gap-1">
            <h3 className="font-medium text-small text-text-2">What would be stored</h3>
            <output
              data-testid="stored"
              className="overflow-auto whitespace-pre-wrap break-words rounded-control border border-border bg-surface-2 px-2 py-1 font-mono text-mono max-md:max-h-96 md:h-0 md:grow"
            >
              {result.ok ? result.stored : 'Nothing: the payload is not valid JSON.'}
            </output>
          </div>
          <EventPicker onPick={setText} />
        </div>
        {result.ok && <MarkTable marks={result.marks} />}
      </Card>
      {result.ok && result.left.length > 0 && (
        <Suggestions found={result.left} workbench={workbench} />
      )}
    </>
  )
}

function MarkTable({ marks }: { readonly marks: readonly RedactionMark[] }) {
  if (marks.length === 0)
    return (
      <p className="border-border border-t px-3 py-2 text-text-2">
        No rule matches. The payload is stored unchanged.
      </p>
    )
  return (
    <Table isStacked className="border-border border-t">
      <thead>
        <tr>
          <HeadCell>Place</HeadCell>
          <HeadCell>Reason</HeadCell>
        </tr>
      </thead>
      <tbody>
        {marks.map(({ pointer, rule, bytes }) => (
          <Row key={pointer}>
            <Cell className="max-w-none">
              <code className="break-all">{pointer === '' ? 'the whole payload' : pointer}</code>
            </Cell>
            <Cell className="max-w-none whitespace-normal">
              {rule === null ? (
                <StatusText status="warning">
                  {bytes === null
                    ? 'too large: truncated'
                    : `too long: ${bytes} bytes, kept as a hash`}
                </StatusText>
              ) : (
                <span>
                  hidden by <code>{rule}</code>
                </span>
              )}
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}

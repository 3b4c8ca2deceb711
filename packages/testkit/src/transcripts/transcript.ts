// Transcripts of the agent protocol (specs/transcripts): requests with the answers that every daemon gives.
import fs from 'node:fs'
import path from 'node:path'
import { ConfigV1 } from '@signalbox/wire'
import * as z from 'zod/v4'
import { differences } from '../vectors/difference.ts'

const Exchange = z.strictObject({
  method: z.enum(['GET', 'POST']),
  /** `{session}` stands for the session that was opened last. */
  path: z.string(),
  body: z.record(z.string(), z.unknown()).exactOptional(),
  /** Body that is not a JSON object. */
  text: z.string().exactOptional(),
  status: z.int(),
  /** Compared as `differences` does. */
  answer: z.record(z.string(), z.unknown()),
})

const Transcript = z.strictObject({
  title: z.string().min(1),
  why: z.string().min(1),
  over: z.enum(['socket', 'tcp']),
  /** Answers a call that waits, once it was repeated. Absent: no one can be asked. */
  reviewer: z.literal('approves').exactOptional(),
  config: ConfigV1,
  exchanges: z.array(Exchange).min(1),
})
export type Transcript = z.output<typeof Transcript>

/** Sends one request; `text` null: without a body. */
export type SendRequest = (request: {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly text: string | null
}) => Promise<{ readonly status: number; readonly body: string }>

/** Reads every `*.json` in the folder. Throws for a file that is not a transcript. */
export function readTranscripts(folder: string): readonly Transcript[] {
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.json'))
  return names.map((name) =>
    Transcript.parse(JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'))),
  )
}

/** Differences from the expected answers; empty: none. */
export async function replayTranscript(
  { exchanges }: Transcript,
  send: SendRequest,
): Promise<readonly string[]> {
  const found: string[] = []
  let session = ''
  const facts = new FactNumbers()
  for (const [index, { method, path: route, body, text, status, answer }] of exchanges.entries()) {
    const given = await send({
      method,
      path: route.replace('{session}', session),
      text: text ?? (body === undefined ? null : facts.restore(JSON.stringify(body))),
    })
    const json: unknown = JSON.parse(facts.number(given.body))
    if (given.status === 201) session = z.looseObject({ session: z.string() }).parse(json).session
    found.push(
      ...differences({ status, answer }, { status: given.status, answer: json }, `/${index}`),
    )
  }
  return found
}

/** Transcripts number facts from 1, in the order in which they are needed; a daemon gives them ids of its own. */
class FactNumbers {
  readonly #ids: string[] = []

  /** Replaces the ids of facts in an answer. */
  number(text: string): string {
    const { need } = z.looseObject({ need: Facts.default([]) }).parse(JSON.parse(text))
    for (const { id } of need) if (!this.#ids.includes(id)) this.#ids.push(id)
    return this.#ids.reduce((so, id, at) => so.replaceAll(`"id":"${id}"`, `"id":"${at + 1}"`), text)
  }

  /** Replaces the numbers of facts in a request. */
  restore(text: string): string {
    const { facts } = z.looseObject({ facts: Facts.default([]) }).parse(JSON.parse(text))
    return facts.reduce(
      (so, { id }) => so.replace(`"id":"${id}"`, `"id":"${this.#ids[Number(id) - 1] ?? id}"`),
      text,
    )
  }
}

const Facts = z.array(z.looseObject({ id: z.string() }))

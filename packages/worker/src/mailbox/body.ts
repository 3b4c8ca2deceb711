// Bodies are JSON text in transit, in memory, too: every mailbox returns the same value, and no object is shared.

import type { OnDiagnostic } from '@signalbox/runtime/base'
import { describeError, GuardrailError } from '@signalbox/runtime/base'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Message } from './mailbox.ts'

/** Throws `body_invalid` when the value cannot be written as JSON. */
export function encodeBody(value: unknown): string {
  const json = stringified(value)
  if (json !== undefined) return json
  throw new GuardrailError('body_invalid', 'The body cannot be written as JSON. Send a JSON value.')
}

function stringified(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (error) {
    throw new GuardrailError(
      'body_invalid',
      `The body cannot be written as JSON: ${describeError(error)}`,
      error,
    )
  }
}

/** Returns the text itself when it is not JSON, so that a dead letter shows what arrived. */
export function decodeLoosely(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type Decoded<Body> =
  | { readonly ok: true; readonly body: Body }
  | { readonly ok: false; readonly error: string }

async function decodeBody<Body>(
  text: string,
  schema: StandardSchemaV1<unknown, Body> | undefined,
): Promise<Decoded<Body>> {
  try {
    const value: unknown = JSON.parse(text)
    // Without a schema, the type argument states what the caller sends to this mailbox.
    if (schema === undefined) return { ok: true, body: value as Body }
    const result = await schema['~standard'].validate(value)
    if (result.issues === undefined) return { ok: true, body: result.value }
    return { ok: false, error: result.issues.map(issueText).join('; ') }
  } catch (error) {
    return { ok: false, error: describeError(error) }
  }
}

function issueText({ message, path = [] }: StandardSchemaV1.Issue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
  return keys.length === 0 ? message : `${keys.join('.')}: ${message}`
}

export type Delivery<Reply> = Omit<Message<unknown, Reply>, 'body'> & { readonly json: string }

/** null: the body cannot be read. The message becomes a dead letter, which can be redriven once the schema fits. */
export async function withBody<Body, Reply, Received extends Delivery<Reply>>(
  delivery: Received,
  how: {
    readonly schema: StandardSchemaV1<unknown, Body> | undefined
    readonly report: OnDiagnostic
  },
): Promise<(Received & { readonly body: Body }) | null> {
  const decoded = await decodeBody(delivery.json, how.schema)
  if (decoded.ok) return Object.assign(delivery, { body: decoded.body })
  const error = `The body cannot be read: ${decoded.error}`
  const text = `Message ${delivery.id} was moved to the dead letters. ${error}`
  how.report({ level: 'error', code: 'body_invalid', message: text })
  try {
    await delivery.deadLetter(error)
  } catch (failure) {
    // The message is redelivered when its lease ends.
    const message = `Message ${delivery.id} could not be moved to the dead letters: ${describeError(failure)}`
    how.report({ level: 'error', code: 'dead_letter_failed', message })
  }
  return null
}

export async function withBodies<Body, Reply>(
  deliveries: readonly Delivery<Reply>[],
  how: Parameters<typeof withBody<Body, Reply, Delivery<Reply>>>[1],
): Promise<readonly Message<Body, Reply>[]> {
  const messages: Message<Body, Reply>[] = []
  for (const delivery of deliveries) {
    const message = await withBody<Body, Reply, Delivery<Reply>>(delivery, how)
    if (message !== null) messages.push(message)
  }
  return messages
}

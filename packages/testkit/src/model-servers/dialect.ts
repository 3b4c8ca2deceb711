// Shared by the servers of all providers: an answer to be sent, and the text of a request.
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import type { NativeToolCall, TokenCount } from './script.ts'

/** One turn in the form that dialects encode. */
export interface Answer {
  /** Unique in the server, for ids of messages. */
  readonly serial: number
  readonly model: string
  /** Empty: no text. */
  readonly say: string
  readonly calls: readonly (NativeToolCall & { readonly id: string })[]
  readonly tokens: TokenCount
}

export interface SseFrame {
  /** Absent: the frame has data only. */
  readonly event?: string
  readonly data: JsonObject | '[DONE]'
}

export interface AskedTurn {
  readonly model: string
  readonly stream: boolean
  /** The parts of the body that the model reads. */
  readonly prompt: readonly JsonValue[]
}

/** A provider's protocol. */
export interface Dialect {
  /** Path of the base URL that a harness is given, e.g. `/v1`. */
  readonly base: string
  /** Null when the path is no request for a turn. */
  asked(path: string, body: JsonObject): AskedTurn | null
  frames(answer: Answer): readonly SseFrame[]
  whole(answer: Answer): JsonObject
  /** Answers to everything else that a harness asks its provider. Null: 404. */
  aside(path: string): JsonObject | null
}

/** Names and ids that no model reads; left out, so that a text that is found was really sent. */
const NOT_READ = new Set(['type', 'role', 'id', 'tool_use_id', 'tool_call_id', 'call_id', 'status'])

/** Every string in the value, depth first, one per line. */
export function textIn(value: JsonValue): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textIn).filter(Boolean).join('\n')
  if (!isJsonObject(value)) return ''
  return Object.entries(value)
    .filter(([name]) => !NOT_READ.has(name))
    .map(([, part]) => textIn(part))
    .filter(Boolean)
    .join('\n')
}

/** The fields that the body has. */
export function pickFields(body: JsonObject, names: readonly string[]): readonly JsonValue[] {
  return names.map((name) => body[name]).filter((part) => part !== undefined)
}

export function readModel(body: JsonObject): string {
  return typeof body['model'] === 'string' ? body['model'] : 'scripted-model'
}

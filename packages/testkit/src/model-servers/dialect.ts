import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import type { NativeToolCall, TokenCount } from './script.ts'

export interface Answer {
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
  readonly prompt: readonly JsonValue[]
}

export interface Dialect {
  /** Path of the base URL that a harness gets, e.g. `/v1`. */
  readonly base: string
  /** null: the path is not a request for a turn. */
  asked(path: string, body: JsonObject): AskedTurn | null
  frames(answer: Answer): readonly SseFrame[]
  whole(answer: Answer): JsonObject
  /** Answers other requests of a harness. null: 404. */
  aside(path: string): JsonObject | null
}

/** Names and ids that no model reads. They are omitted, so that a text that a test finds was really sent. */
const NOT_READ = new Set(['type', 'role', 'id', 'tool_use_id', 'tool_call_id', 'call_id', 'status'])

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

export function pickFields(body: JsonObject, names: readonly string[]): readonly JsonValue[] {
  return names.map((name) => body[name]).filter((part) => part !== undefined)
}

export function readModel(body: JsonObject): string {
  return typeof body['model'] === 'string' ? body['model'] : 'scripted-model'
}

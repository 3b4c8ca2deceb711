import path from 'node:path'
import type { AnyMessage, JsonRpcId } from '@agentclientprotocol/sdk'
import { isJsonObject, type JsonObject, type JsonValue, type ToolOutcome } from '@signalbox/core'
import type { ReportedCall } from './acp-tools.ts'

/** Empty for an absent value and for anything that is not an object. */
export function fields(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export interface AcpRequest {
  readonly id: JsonRpcId
  readonly method: string
  readonly params: JsonObject
}

/** null: the message expects no answer. */
export function readRequest(message: AnyMessage): AcpRequest | null {
  if (!('method' in message) || !('id' in message)) return null
  return { id: message.id, method: message.method, params: fields(message.params) }
}

/** null: not a notification of this method. */
export function readNotification(message: AnyMessage, method: string): JsonObject | null {
  if (!('method' in message) || 'id' in message || message.method !== method) return null
  return fields(message.params)
}

export interface AcpAnswer {
  readonly id: JsonRpcId
  /** null: an error. */
  readonly result: JsonObject | null
}

/** null: not an answer. */
export function readAnswer(message: AnyMessage): AcpAnswer | null {
  if ('method' in message) return null
  return { id: message.id, result: 'result' in message ? fields(message.result) : null }
}

export function resultFor(id: JsonRpcId, result: JsonObject): AnyMessage {
  return { jsonrpc: '2.0', id, result }
}

export function errorFor(id: JsonRpcId, code: number, message: string): AnyMessage {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

export interface ReportedUpdate extends ReportedCall {
  readonly callId: string
  readonly status?: string
  readonly rawInput: JsonObject
  /** Absolute path of the call's first file. Absent: none is known. */
  readonly file?: string
  readonly rawOutput?: JsonValue
  readonly text: string
}

/** null: the update names no call. */
export function parseReportedUpdate(update: JsonObject, cwd: string): ReportedUpdate | null {
  const callId = readText(update['toolCallId'])
  if (callId === undefined) return null
  const rawInput = fields(update['rawInput'])
  const optional = {
    name: readText(update['name']),
    title: readText(update['title']),
    kind: readText(update['kind']),
    status: readText(update['status']),
    file: fileIn(update, rawInput, cwd),
    rawOutput: update['rawOutput'] ?? undefined,
  }
  const given = Object.entries(optional).filter(([, value]) => value !== undefined)
  return { callId, rawInput, text: contentText(update['content']), ...Object.fromEntries(given) }
}

const PATHS = ['file_path', 'filePath', 'filepath', 'path', 'abs_path'] as const

function fileIn(update: JsonObject, rawInput: JsonObject, cwd: string): string | undefined {
  const { locations, content } = update
  const [location] = Array.isArray(locations) ? locations : []
  const blocks = Array.isArray(content) ? content.map(fields) : []
  const diff = blocks.find(({ type }) => type === 'diff')
  const named = [
    readText(diff?.['path']),
    ...PATHS.map((name) => readText(rawInput[name])),
    readText(fields(location)['path']),
  ].find((each) => each !== undefined)
  return named === undefined ? undefined : path.resolve(cwd, named)
}

export function contentText(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content]
  return blocks
    .map(
      (block) =>
        readText(fields(block)['text']) ?? readText(fields(fields(block)['content'])['text']),
    )
    .filter((text) => text !== undefined)
    .join('\n')
}

/** `completed` only means that a command ran. Some agents also report its exit code. */
export function readOutcome({ status, kind, rawOutput }: ReportedUpdate): ToolOutcome {
  if (status === 'failed') return 'failure'
  if (kind !== 'execute') return 'success'
  const output = fields(rawOutput)
  const exit = [output['exit_code'], output['exitCode'], fields(output['metadata'])['exit']].find(
    (each) => typeof each === 'number',
  )
  if (exit === undefined) return 'unknown'
  return exit === 0 ? 'success' : 'failure'
}

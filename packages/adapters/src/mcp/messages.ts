// Messages that the proxy must understand; all others pass unchanged.
import type { JsonObject } from '@signalbox/core'
import type { Replacement } from '@signalbox/runtime'
import type { JsonRpcMessage, RequestId } from './transport.ts'

export interface ToolCallRequest {
  readonly id: RequestId
  /** null: the request names no tool. */
  readonly name: string | null
  readonly input: unknown
  /** Id that the client's own harness gave the call. Absent: none. */
  readonly toolUseId?: string
  /** True: the call requests a task, whose answer only confirms the start. */
  readonly isTask: boolean
}

type Fields = { readonly [name: string]: unknown }

function fields(value: unknown): Fields {
  return isFields(value) ? value : {}
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** null: another kind of message. `unanswerable`: a call without a protocol id, whose denial could not be reported. */
export function parseToolCall(message: JsonRpcMessage): ToolCallRequest | 'unanswerable' | null {
  if (!('method' in message) || message.method !== 'tools/call') return null
  const id = findRequestId(message)
  if (id === null) return 'unanswerable'
  const params = fields(message.params)
  const { name, arguments: input = {} } = params
  const toolUseId = fields(params['_meta'])['claudecode/toolUseId']
  return {
    id,
    name: typeof name === 'string' && name !== '' ? name : null,
    input,
    ...(typeof toolUseId === 'string' && toolUseId !== '' ? { toolUseId } : {}),
    isTask: params['task'] !== undefined,
  }
}

/** null: the message expects no answer. */
export function findRequestId(message: JsonRpcMessage): RequestId | null {
  if (!('method' in message) || !('id' in message)) return null
  const { id } = message
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** Id of the request that a cancellation names; null: another message. */
export function findCanceledId(message: JsonRpcMessage): RequestId | null {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return null
  const { requestId } = fields(message.params)
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : null
}

export function readAnswer(
  message: JsonRpcMessage,
): { readonly id: RequestId; readonly output?: unknown; readonly error?: string } | null {
  if ('method' in message || !('id' in message) || message.id === undefined) return null
  if ('error' in message) return { id: message.id, error: message.error.message }
  const { result } = message
  if (result['isError'] !== true) return { id: message.id, output: result }
  return { id: message.id, output: result, error: textIn(result) || 'The tool reported an error.' }
}

/** Protocol version that the server agreed to; null: another message. */
export function findProtocolVersion(message: JsonRpcMessage): string | null {
  if (!('result' in message)) return null
  const { protocolVersion, serverInfo } = message.result
  return typeof protocolVersion === 'string' && serverInfo !== undefined ? protocolVersion : null
}

export function denial(id: RequestId, text: string): JsonRpcMessage {
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }], isError: true } }
}

export function failure(id: RequestId, code: number, message: string): JsonRpcMessage {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

export function withText(message: JsonRpcMessage, text: string): JsonRpcMessage {
  if ('error' in message) {
    const { error } = message
    return { ...message, error: { ...error, message: `${error.message}\n\n${text}` } }
  }
  if (!('result' in message)) return message
  const { content } = message.result
  const blocks = Array.isArray(content) ? content : []
  return { ...message, result: { ...message.result, content: [...blocks, { type: 'text', text }] } }
}

/** `input` undefined: the call keeps its own arguments. */
export function withInput(message: JsonRpcMessage, input: JsonObject | undefined): JsonRpcMessage {
  if (input === undefined || !('method' in message)) return message
  return { ...message, params: { ...fields(message.params), arguments: input } }
}

/** A text takes the place of the whole result, structured content included. */
export function withReplacement(message: JsonRpcMessage, replaced: Replacement): JsonRpcMessage {
  if ('error' in message) {
    const { error = '' } = replaced
    return { ...message, error: { code: message.error.code, message: error } }
  }
  if (!('result' in message)) return message
  const { output = null } = replaced
  if (isFields(output)) return { ...message, result: output }
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  const isError = message.result['isError'] === true
  return {
    ...message,
    result: { content: [{ type: 'text', text }], ...(isError ? { isError } : {}) },
  }
}

function textIn({ content }: Fields): string {
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((block) => {
      const { text } = fields(block)
      return typeof text === 'string' ? [text] : []
    })
    .join('\n')
}

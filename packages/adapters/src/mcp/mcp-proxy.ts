import { randomBytes } from 'node:crypto'
import type { FinishedCall, OnDiagnostic, Replacement, SessionEnd } from '@signalbox/runtime'
import type { HarnessSession, HarnessVerdict, NativeResult } from '@signalbox/runtime/harness'
import {
  denial,
  failure,
  findCanceledId,
  findProtocolVersion,
  findRequestId,
  parseToolCall,
  readAnswer,
  type ToolCallRequest,
  withInput,
  withReplacement,
  withText,
} from './messages.ts'
import type { JsonRpcMessage, RequestId, Transport } from './transport.ts'

export type CallGate = Pick<HarnessSession, 'before' | 'finish'>

export interface SessionGate extends CallGate {
  end(ended: SessionEnd): Promise<unknown>
}

export interface McpProxyOptions {
  readonly client: Transport
  readonly server: Transport
  readonly gate: CallGate
  readonly onDiagnostic?: OnDiagnostic
}

export interface McpProxy {
  /** Resolves when either side is gone and all open calls are recorded. The gate may then end. */
  readonly settled: Promise<void>
  readonly closed: Promise<void>
  close(): Promise<void>
}

interface OpenCall extends ToolCallRequest {
  readonly callId: string
  readonly startedAt: number
  sent: boolean
}

const INVALID_PARAMS = -32602
const INVALID_REQUEST = -32600
const CONNECTION_CLOSED = -32000
const GONE = 'The MCP server ended before it answered.'
const UNREACHABLE = 'The MCP server could not be reached.'
/** Without the gate, no rule inspected the result. */
const UNINSPECTED: Replacement = {
  output: 'Result withheld: the guardrails could not record it.',
  error: 'Result withheld: the guardrails could not record it.',
}
const CANCELLED = 'Canceled by the client.'

/** All messages but tools/call pass unchanged, for any version of the protocol. If a transport cannot be started, closes both and rejects. */
export async function startMcpProxy(options: McpProxyOptions): Promise<McpProxy> {
  const proxy = new Proxying(options)
  try {
    await proxy.start()
  } catch (error) {
    await proxy.close()
    throw error
  }
  return proxy
}

class Proxying implements McpProxy {
  readonly settled: Promise<void>
  readonly closed: Promise<void>
  readonly #options: McpProxyOptions
  readonly #open = new Map<RequestId, OpenCall>()
  /** Keeps call ids distinct among proxies that share a session. */
  readonly #name = randomBytes(6).toString('base64url')
  #count = 0
  #isClosing = false
  #resolveSettled: () => void = () => undefined
  #resolveClosed: () => void = () => undefined

  constructor(options: McpProxyOptions) {
    this.#options = options
    this.settled = new Promise((resolve) => {
      this.#resolveSettled = resolve
    })
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
  }

  async start(): Promise<void> {
    const { client, server } = this.#options
    client.onmessage = (message: JsonRpcMessage) => void this.#fromClient(message)
    server.onmessage = (message: JsonRpcMessage) => void this.#fromServer(message)
    client.onerror = (error) => this.#report('mcp_client_error', error)
    server.onerror = (error) => this.#report('mcp_server_error', error)
    client.onclose = () => void this.close()
    server.onclose = () => void this.close()
    await server.start()
    await client.start()
  }

  async close(): Promise<void> {
    if (this.#isClosing) return this.closed
    this.#isClosing = true
    const { client, server } = this.#options
    await Promise.all([...this.#open.values()].map((call) => this.#abandon(call)))
    this.#resolveSettled()
    await Promise.all([this.#quietly(client.close()), this.#quietly(server.close())])
    this.#resolveClosed()
  }

  async #fromClient(message: JsonRpcMessage): Promise<void> {
    const cancelled = findCanceledId(message)
    if (cancelled !== null) await this.#cancel(cancelled)
    const request = parseToolCall(message)
    if (request === null) return this.#toServer(message)
    if (request === 'unanswerable')
      return this.#report('call_without_id', 'A tools/call without an id was not forwarded.')
    const call = this.#begin(request)
    if ('jsonrpc' in call) return this.#send('client', call)
    const verdict = await this.#judge(call)
    // The call was canceled, or the connection ended, during its evaluation.
    if (this.#open.get(call.id) !== call) return this.#neverRan(call, verdict)
    if (verdict.allowed) {
      call.sent = true
      return this.#toServer(withInput(message, verdict.input))
    }
    this.#open.delete(call.id)
    return this.#send('client', denial(call.id, verdict.text))
  }

  #begin(request: ToolCallRequest): OpenCall | JsonRpcMessage {
    const { id, name, toolUseId } = request
    if (name === null) return failure(id, INVALID_PARAMS, 'params.name must be the name of a tool.')
    if (this.#open.has(id))
      return failure(id, INVALID_REQUEST, `The id ${JSON.stringify(id)} is already in use.`)
    this.#count += 1
    const call = {
      ...request,
      callId: toolUseId ?? `mcp_${this.#name}_${this.#count}`,
      startedAt: performance.now(),
      sent: false,
    }
    this.#open.set(id, call)
    return call
  }

  async #judge(call: OpenCall): Promise<HarnessVerdict> {
    try {
      return await this.#options.gate.before(toMcpNativeCall(call))
    } catch (error) {
      this.#report('call_not_decided', error)
      return { allowed: false, text: 'The guardrails could not decide this call, so it is denied.' }
    }
  }

  async #fromServer(message: JsonRpcMessage): Promise<void> {
    const version = findProtocolVersion(message)
    if (version !== null) this.#options.server.setProtocolVersion?.(version)
    const answer = readAnswer(message)
    const call = answer === null ? undefined : this.#open.get(answer.id)
    if (answer === null || call === undefined) return this.#send('client', message)
    this.#open.delete(call.id)
    const { output, error } = answer
    const ran = { ...(output === undefined ? {} : { output }), ...measureCall(call) }
    const { feedback, replaced } = await this.#finish(
      call,
      error === undefined
        ? { outcome: call.isTask ? 'unknown' : 'success', ...ran }
        : { outcome: 'failure', error, ...ran },
    )
    const read = replaced === null ? message : withReplacement(message, replaced)
    return this.#send('client', feedback === null ? read : withText(read, feedback))
  }

  async #cancel(id: RequestId): Promise<void> {
    const call = this.#open.get(id)
    if (call === undefined) return
    this.#open.delete(id)
    // A call under evaluation ends after its verdict. The server may do anything with a canceled call that was sent.
    if (call.sent) await this.#finish(call, { outcome: 'unknown', error: CANCELLED })
  }

  async #abandon(call: OpenCall): Promise<void> {
    this.#open.delete(call.id)
    if (!call.sent) return
    await this.#finish(call, { outcome: 'unknown', error: GONE })
    await this.#send('client', failure(call.id, CONNECTION_CLOSED, GONE))
  }

  async #neverRan(call: OpenCall, { allowed }: HarnessVerdict): Promise<void> {
    if (allowed) await this.#finish(call, { outcome: 'denied', error: CANCELLED })
  }

  async #finish(
    call: OpenCall,
    result: Omit<NativeResult, keyof ReturnType<typeof toMcpNativeCall>>,
  ): Promise<FinishedCall> {
    try {
      return await this.#options.gate.finish({ ...toMcpNativeCall(call), ...result })
    } catch (error) {
      this.#report('result_not_recorded', error)
      return { feedback: null, replaced: UNINSPECTED }
    }
  }

  /** Answers a request that does not reach the server, because its client would wait forever. */
  async #toServer(message: JsonRpcMessage): Promise<void> {
    try {
      await this.#options.server.send(message)
    } catch (error) {
      this.#report('mcp_message_lost', error)
      const id = findRequestId(message)
      const call = id === null ? undefined : this.#open.get(id)
      if (call !== undefined) {
        this.#open.delete(call.id)
        // The server may have received the call before the connection broke.
        await this.#finish(call, { outcome: 'unknown', error: UNREACHABLE })
      }
      if (id !== null) await this.#send('client', failure(id, CONNECTION_CLOSED, UNREACHABLE))
    }
  }

  /** A message that cannot be sent has no receiver, because the other side is ending. */
  async #send(to: 'client' | 'server', message: JsonRpcMessage): Promise<void> {
    await this.#quietly(this.#options[to].send(message))
  }

  async #quietly(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      this.#report('mcp_message_lost', error)
    }
  }

  #report(code: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    this.#options.onDiagnostic?.({ level: 'warning', code, message })
  }
}

function toMcpNativeCall({ name, input, callId }: OpenCall) {
  return { tool: name ?? '', input, callId }
}

function measureCall({ startedAt }: OpenCall): { readonly durationMs: number } {
  return { durationMs: Math.round(performance.now() - startedAt) }
}

import { randomBytes } from 'node:crypto'
import type { AnyMessage, JsonRpcId } from '@agentclientprotocol/sdk'
import type { JsonObject } from '@signalbox/core'
import type { OnDiagnostic } from '@signalbox/runtime'
import { describeError } from '@signalbox/runtime/harness'
import type { AcpEnd } from './acp-end.ts'
import {
  type AcpAnswer,
  type AcpRequest,
  errorFor,
  fields,
  readAnswer,
  readNotification,
  readRequest,
  readText,
  resultFor,
} from './acp-messages.ts'
import type { AcpSession } from './acp-session.ts'
import { AcpSessions, type AcpSessionsOptions } from './acp-sessions.ts'
import { allowsOnce, CANCELLED, isOffered, offered, rejection } from './permission.ts'

export interface AcpProxyOptions extends AcpSessionsOptions {
  readonly client: AcpEnd
  readonly agent: AcpEnd
  readonly onDiagnostic?: OnDiagnostic
}

export interface AcpProxy {
  readonly settled: Promise<void>
  readonly closed: Promise<void>
  close(): Promise<void>
}

interface Turn {
  readonly sessionId: string
  /** Id of the editor's request. */
  readonly promptId: JsonRpcId
  /** Id of the request on which the agent works: the editor's, or ours. */
  agentId: JsonRpcId
  isCanceled: boolean
}

interface Asked {
  readonly sessionId: string
  readonly callId: string
  readonly options: readonly JsonObject[]
}

const REFUSED = -32000
const INVALID_PARAMS = -32602
const CLOSING: ReadonlySet<string> = new Set(['session/close', 'session/delete'])

/** Experimental. Holds back the end of a turn while work is open. If one side cannot be started, closes both and rejects. */
export async function startAcpProxy(options: AcpProxyOptions): Promise<AcpProxy> {
  const proxy = new Proxying(options)
  try {
    await proxy.start()
  } catch (error) {
    await proxy.close()
    throw error
  }
  return proxy
}

class Proxying implements AcpProxy {
  readonly settled: Promise<void>
  readonly closed: Promise<void>
  readonly #options: AcpProxyOptions
  readonly #name = randomBytes(6).toString('base64url')
  readonly #sessions: AcpSessions
  readonly #turns = new Map<JsonRpcId, Turn>()
  readonly #asked = new Map<JsonRpcId, Asked>()
  #count = 0
  #isClosing = false
  #resolveSettled: () => void = () => undefined
  #resolveClosed: () => void = () => undefined

  constructor(options: AcpProxyOptions) {
    this.#options = options
    this.#sessions = new AcpSessions(options)
    this.settled = new Promise((resolve) => {
      this.#resolveSettled = resolve
    })
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
  }

  async start(): Promise<void> {
    const { client, agent } = this.#options
    client.onmessage = (message) => void this.#fromClient(message)
    agent.onmessage = (message) => void this.#fromAgent(message)
    client.onerror = (error) => this.#report('acp_client_error', error)
    agent.onerror = (error) => this.#report('acp_agent_error', error)
    client.onclose = () => void this.#close('completed')
    agent.onclose = () => void this.#close('failed')
    await agent.start()
    await client.start()
  }

  close(): Promise<void> {
    return this.#close('completed')
  }

  async #close(reason: 'completed' | 'failed'): Promise<void> {
    if (this.#isClosing) return this.closed
    this.#isClosing = true
    const { client, agent } = this.#options
    await this.#quietly(this.#sessions.endAll(reason))
    this.#resolveSettled()
    await Promise.all([this.#quietly(client.close()), this.#quietly(agent.close())])
    this.#resolveClosed()
  }

  async #fromClient(message: AnyMessage): Promise<void> {
    const request = readRequest(message)
    if (request !== null) return this.#clientAsks(request, message)
    const answer = readAnswer(message)
    if (answer !== null) return this.#editorAnswers(answer, message)
    const cancelled = readNotification(message, 'session/cancel')
    for (const turn of this.#turns.values()) {
      if (cancelled !== null && turn.sessionId === cancelled['sessionId']) turn.isCanceled = true
    }
    const withdrawn = readNotification(message, '$/cancel_request')
    if (withdrawn !== null) return this.#withdraw(withdrawn, message)
    return this.#send('agent', message)
  }

  async #clientAsks(request: AcpRequest, message: AnyMessage): Promise<void> {
    const { method, params } = request
    const sessionId = readText(params['sessionId'])
    this.#sessions.requested(request)
    if (method === 'session/prompt' && !(await this.#begins(request))) return
    if (CLOSING.has(method) && sessionId !== undefined)
      await this.#quietly(this.#sessions.end(sessionId, 'completed'))
    return this.#send('agent', message)
  }

  /** True: the prompt may reach the agent, because its calls can be evaluated. */
  async #begins({ id, params }: AcpRequest): Promise<boolean> {
    const sessionId = readText(params['sessionId'])
    if (sessionId === undefined) {
      await this.#send('client', errorFor(id, INVALID_PARAMS, 'params.sessionId must be a string.'))
      return false
    }
    try {
      const session = await this.#sessions.open(sessionId)
      session.promptStarted()
    } catch (error) {
      this.#report('session_not_opened', error)
      const why = `The guardrails are not in force, so the prompt was not sent: ${describeError(error)}`
      await this.#send('client', errorFor(id, REFUSED, why))
      return false
    }
    this.#turns.set(id, { sessionId, promptId: id, agentId: id, isCanceled: false })
    return true
  }

  async #editorAnswers(answer: AcpAnswer, message: AnyMessage): Promise<void> {
    const asked = this.#asked.get(answer.id)
    if (asked === undefined) return this.#send('agent', message)
    this.#asked.delete(answer.id)
    const { sessionId, callId, options } = asked
    if (!allowsOnce(answer.result, options))
      this.#sessions.live(sessionId)?.recordEditorRefusal(callId)
    // An option that was not offered may be one that ends all requests for permission.
    const isPassed = isOffered(answer.result, options)
    return this.#send('agent', isPassed ? message : resultFor(answer.id, CANCELLED))
  }

  async #withdraw(params: JsonObject, message: AnyMessage): Promise<void> {
    const turn = [...this.#turns.values()].find(({ promptId }) => promptId === params['requestId'])
    if (turn === undefined) return this.#send('agent', message)
    turn.isCanceled = true
    const method = '$/cancel_request'
    const requestId = turn.agentId
    return this.#send('agent', { jsonrpc: '2.0', method, params: { ...params, requestId } })
  }

  async #fromAgent(message: AnyMessage): Promise<void> {
    const request = readRequest(message)
    if (request?.method === 'session/request_permission') return this.#permission(request)
    const update = readNotification(message, 'session/update')
    if (update !== null) this.#sessions.updated(update)
    const answer = readAnswer(message)
    if (answer !== null) return this.#agentAnswers(answer, message)
    return this.#send('client', message)
  }

  async #permission({ id, params }: AcpRequest): Promise<void> {
    const { toolCall, options } = params
    const sessionId = readText(params['sessionId']) ?? ''
    const session = this.#sessions.live(sessionId)
    const allowed = await this.#permits(session, fields(toolCall))
    if (!allowed) return this.#send('agent', resultFor(id, rejection(options)))
    const left = offered(options)
    const callId = readText(fields(toolCall)['toolCallId']) ?? ''
    this.#asked.set(id, { sessionId, callId, options: left })
    const method = 'session/request_permission'
    return this.#send('client', {
      jsonrpc: '2.0',
      id,
      method,
      params: { ...params, options: left },
    })
  }

  async #permits(session: AcpSession | undefined, toolCall: JsonObject): Promise<boolean> {
    try {
      return session !== undefined && (await session.permits(toolCall))
    } catch (error) {
      this.#report('call_not_decided', error)
      return false
    }
  }

  async #agentAnswers(answer: AcpAnswer, message: AnyMessage): Promise<void> {
    this.#sessions.answered(answer)
    const turn = this.#turns.get(answer.id)
    if (turn === undefined) return this.#send('client', message)
    const { promptId } = turn
    const next = await this.#nextPrompt(turn, answer)
    this.#turns.delete(answer.id)
    if (next === null) {
      // The editor canceled during the evaluation of the stop, and must get that answer.
      const ended =
        turn.isCanceled && answer.result !== null
          ? resultFor(promptId, { ...answer.result, stopReason: 'cancelled' })
          : { ...message, id: promptId }
      return this.#send('client', ended)
    }
    this.#count += 1
    turn.agentId = `signalbox-${this.#name}-${this.#count}`
    this.#turns.set(turn.agentId, turn)
    const prompt = [{ type: 'text', text: next }]
    const params = { sessionId: turn.sessionId, prompt }
    const method = 'session/prompt'
    return this.#send('agent', { jsonrpc: '2.0', id: turn.agentId, method, params })
  }

  /** Next prompt for the agent; null: its turn is over. */
  async #nextPrompt(turn: Turn, { result }: AcpAnswer): Promise<string | null> {
    const session = this.#sessions.live(turn.sessionId)
    const stopReason = readText(result?.['stopReason']) ?? 'error'
    if (session === undefined) return null
    if (stopReason !== 'end_turn' || turn.isCanceled) {
      session.turnEnded()
      return null
    }
    try {
      const answer = await session.stop(stopReason)
      return answer.allowed || turn.isCanceled || this.#isClosing ? null : answer.message
    } catch (error) {
      this.#report('stop_not_decided', error)
      return null
    }
  }

  /** A message that cannot be sent has no receiver, because the other side is ending. */
  async #send(to: 'client' | 'agent', message: AnyMessage): Promise<void> {
    await this.#quietly(this.#options[to].send(message))
  }

  async #quietly(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      if (!this.#isClosing) this.#report('acp_message_lost', error)
    }
  }

  #report(code: string, error: unknown): void {
    this.#options.onDiagnostic?.({ level: 'warning', code, message: describeError(error) })
  }
}

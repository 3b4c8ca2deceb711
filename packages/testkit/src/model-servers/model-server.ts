// Keeps every request, so that tests can prove what a model read.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import { type Answer, type AskedTurn, type Dialect, textIn } from './dialect.ts'
import { DEFAULT_TOKENS, type ModelScript, type ScriptedTurn, takeScriptedTurn } from './script.ts'

const ASIDE = 'Scripted session'

interface Recorded {
  readonly text: string
  readonly body: JsonObject
}

export interface ModelServer {
  readonly url: string
  /** Text of each request that used a turn of the script, in order of arrival. */
  readonly requests: readonly string[]
  readonly bodies: readonly JsonObject[]
  /** Method and path of every request that was answered with 404. */
  readonly unknown: readonly string[]
  close(): Promise<void>
}

export async function startModelServer(
  dialect: Dialect,
  script: ModelScript,
): Promise<ModelServer> {
  const provider = new Provider(dialect, script)
  const server = http.createServer((request, response) => {
    provider.serve(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else failed(response, 500, String(error))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  // The server listens on TCP, so the address is never a path.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${dialect.base}`,
    requests: provider.requests,
    bodies: provider.bodies,
    unknown: provider.unknown,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

class Provider {
  readonly requests: string[] = []
  readonly bodies: JsonObject[] = []
  readonly unknown: string[] = []
  readonly #dialect: Dialect
  readonly #script: ModelScript
  #answers = 0
  #calls = 0

  constructor(dialect: Dialect, script: ModelScript) {
    this.#dialect = dialect
    this.#script = script
  }

  async serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const body = await jsonBody(request)
    const asked = body === null ? null : this.#dialect.asked(path, body)
    if (body === null || asked === null) {
      const aside = this.#dialect.aside(path)
      if (aside !== null) sendJson(response, 200, aside)
      else {
        this.unknown.push(`${request.method} ${path}`)
        failed(response, 404, `This scripted model has no ${path}.`)
      }
      return
    }
    const turn = await this.#turn({ text: asked.prompt.map(textIn).join('\n'), body })
    if ('status' in turn) failed(response, turn.status, 'The script asked for it.')
    else this.#send(response, asked, this.#answer(asked, turn))
  }

  async #turn(asked: Recorded): Promise<ScriptedTurn> {
    if (!offersTools(asked.body)) return { say: ASIDE }
    const index = this.requests.push(asked.text) - 1
    this.bodies.push(asked.body)
    return takeScriptedTurn(this.#script, { index, ...asked })
  }

  #answer(asked: AskedTurn, turn: Exclude<ScriptedTurn, { status: number }>): Answer {
    this.#answers += 1
    const calls = 'calls' in turn ? turn.calls : []
    return {
      serial: this.#answers,
      model: asked.model,
      say: turn.say ?? '',
      calls: calls.map((call) => ({ ...call, id: call.id ?? this.#callId() })),
      tokens: turn.tokens ?? DEFAULT_TOKENS,
    }
  }

  #callId(): string {
    this.#calls += 1
    return `call_${this.#calls}`
  }

  #send(response: http.ServerResponse, asked: AskedTurn, answer: Answer): void {
    if (!asked.stream) {
      sendJson(response, 200, this.#dialect.whole(answer))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    for (const { event, data } of this.#dialect.frames(answer)) {
      const text = data === '[DONE]' ? data : JSON.stringify(data)
      response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`)
    }
    response.end()
  }
}

function offersTools({ tools, input }: JsonObject): boolean {
  if (Array.isArray(tools)) return tools.length > 0
  // Codex describes tools to some models in the conversation.
  const items = Array.isArray(input) ? input : []
  return items.some((item) => isJsonObject(item) && item['type'] === 'additional_tools')
}

/** null: the body is not a JSON object, for example in a GET. */
async function jsonBody(request: http.IncomingMessage): Promise<JsonObject | null> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  if (chunks.length === 0) return null
  const value: JsonValue = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  return isJsonObject(value) ? value : null
}

function sendJson(response: http.ServerResponse, status: number, value: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

function failed(response: http.ServerResponse, status: number, message: string): void {
  const type = status === 404 ? 'not_found_error' : 'api_error'
  sendJson(response, status, { type: 'error', error: { type, message, code: status } })
}

import { type Model, type ModelRequest, type ModelResponse, Usage } from '@openai/agents'

export interface ScriptedTurn {
  readonly calls?: readonly {
    readonly id: string
    readonly tool: string
    readonly input?: unknown
  }[]
  readonly text?: string
}

type StreamEvents = ReturnType<Model['getStreamedResponse']>
type Item =
  | {
      type: 'function_call'
      callId: string
      name: string
      arguments: string
      status: 'completed'
    }
  | {
      type: 'message'
      role: 'assistant'
      status: 'completed'
      content: { type: 'output_text'; text: string }[]
    }

const USED = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }

/** After the script it always answers `Done.` */
export class ScriptedAgentModel implements Model {
  readonly requests: string[] = []
  readonly tools: string[][] = []
  readonly #script: readonly ScriptedTurn[]

  constructor(script: readonly ScriptedTurn[]) {
    this.#script = script
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    return { usage: new Usage(USED), output: this.#next(request) }
  }

  async *getStreamedResponse(request: ModelRequest): StreamEvents {
    const id = `response_${this.requests.length}`
    const output = this.#next(request)
    yield { type: 'response_started' }
    yield { type: 'response_done', response: { id, usage: USED, output } }
  }

  #next(request: ModelRequest): Item[] {
    const { calls = [], text } = this.#script[this.requests.length] ?? { text: 'Done.' }
    this.requests.push(JSON.stringify(request.input))
    this.tools.push(request.tools.map(({ name }) => name))
    const said: Item[] =
      text === undefined
        ? []
        : [
            {
              type: 'message',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text }],
            },
          ]
    return [
      ...said,
      ...calls.map(
        ({ id, tool, input }): Item => ({
          type: 'function_call',
          callId: id,
          name: tool,
          arguments: typeof input === 'string' ? input : JSON.stringify(input ?? {}),
          status: 'completed',
        }),
      ),
    ]
  }
}

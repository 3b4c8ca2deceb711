// Knowledge of the scripted model: the conversation so far, parsed from the prompt that it really receives.
import type { MockLanguageModelV4 } from 'ai/test'

export type ModelRequest = Parameters<MockLanguageModelV4['doGenerate']>[0]
export type ModelAnswer = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>

export interface PastCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  /** Text of the result; `isError`: a refusal or a failure. */
  readonly text: string
  readonly isError: boolean
}

export interface Transcript {
  readonly calls: readonly PastCall[]
  /** Texts of user messages after the task, oldest first: feedback and blocked stops. */
  readonly messages: readonly string[]
  /** Number of turns that the model ended with an answer. */
  readonly answers: number
}

type Message = ModelRequest['prompt'][number]

export function readTranscript({ prompt }: ModelRequest): Transcript {
  const requested = prompt.map(listToolRequests)
  const inputs = new Map(requested.flat())
  const messages = prompt.flatMap(userTexts)
  const answers = prompt.filter(
    (message, i) => message.role === 'assistant' && requested[i]?.length === 0,
  )
  return {
    calls: prompt.flatMap((message) => listPastCalls(message, inputs)),
    messages: messages.slice(1),
    answers: answers.length,
  }
}

type Input = Readonly<Record<string, unknown>>

function listToolRequests(message: Message): (readonly [id: string, input: Input])[] {
  if (message.role !== 'assistant') return []
  return message.content.flatMap((part) =>
    part.type === 'tool-call' ? [[part.toolCallId, toInputRecord(part.input)] as const] : [],
  )
}

function listPastCalls(message: Message, inputs: ReadonlyMap<string, Input>): PastCall[] {
  if (message.role !== 'tool') return []
  return message.content.flatMap((part) => {
    if (part.type !== 'tool-result') return []
    const { type } = part.output
    const isError = type === 'error-text' || type === 'error-json' || type === 'execution-denied'
    const input = inputs.get(part.toolCallId) ?? {}
    return [{ tool: part.toolName, input, text: JSON.stringify(part.output), isError }]
  })
}

function userTexts(message: Message): string[] {
  if (message.role !== 'user') return []
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

function toInputRecord(value: unknown): Input {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

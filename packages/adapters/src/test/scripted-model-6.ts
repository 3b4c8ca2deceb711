import { MockLanguageModelV3 } from 'ai-6/test'
import type { ScriptedStep } from './scripted-model.ts'

type Generated = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>
type Streamed = Awaited<ReturnType<MockLanguageModelV3['doStream']>>
type Chunk = Streamed['stream'] extends ReadableStream<infer Part> ? Part : never

const USAGE: Generated['usage'] = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}

export interface ScriptedModel6 {
  readonly model: MockLanguageModelV3
  readonly prompts: string[]
}

/** After the script the model always answers `Done.` */
export function scriptedModel6(script: readonly ScriptedStep[]): ScriptedModel6 {
  const prompts: string[] = []
  const next = (prompt: unknown) => {
    const step = script[prompts.length] ?? { text: 'Done.' }
    prompts.push(JSON.stringify(prompt))
    return generateAnswer6(step)
  }
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => ({ ...next(prompt), usage: USAGE, warnings: [] }),
    doStream: async ({ prompt }) => ({ stream: streamStep6(next(prompt)) }),
  })
  return { model, prompts }
}

function generateAnswer6({
  calls,
  text,
}: ScriptedStep): Pick<Generated, 'content' | 'finishReason'> {
  const toolCalls = (calls ?? []).map(({ id, tool, input }) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: tool,
    input: JSON.stringify(input ?? {}),
  }))
  const reason = toolCalls.length > 0 ? 'tool-calls' : 'stop'
  const texts = text === undefined ? [] : [{ type: 'text' as const, text }]
  return { content: [...texts, ...toolCalls], finishReason: { unified: reason, raw: reason } }
}

function streamStep6({
  content,
  finishReason,
}: Pick<Generated, 'content' | 'finishReason'>): ReadableStream<Chunk> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings: [] })
      for (const part of content) {
        if (part.type === 'tool-call') controller.enqueue(part)
        if (part.type !== 'text') continue
        controller.enqueue({ type: 'text-start', id: 't' })
        controller.enqueue({ type: 'text-delta', id: 't', delta: part.text })
        controller.enqueue({ type: 'text-end', id: 't' })
      }
      controller.enqueue({ type: 'finish', finishReason, usage: USAGE })
      controller.close()
    },
  })
}

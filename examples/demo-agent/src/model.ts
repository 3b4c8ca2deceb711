// A scripted language model: it reads the real prompt and answers after a moment of "thinking".
import { setTimeout as wait } from 'node:timers/promises'
import { MockLanguageModelV4 } from 'ai/test'
import type { Move } from './script/moves.ts'
import { type ModelAnswer, readTranscript, type Transcript } from './script/transcript.ts'

export function scriptedModel(
  nextMove: (seen: Transcript) => Move,
  thinkMs: number,
): MockLanguageModelV4 {
  let count = 0
  return new MockLanguageModelV4({
    provider: 'signalbox-demo',
    modelId: 'scripted',
    doGenerate: async (request) => {
      await wait(thinkMs)
      const move = nextMove(readTranscript(request))
      count += 1
      const input = JSON.stringify(request.prompt).length / 4
      return toModelAnswer(move, { id: `demo_${count}`, input: Math.round(input) })
    },
  })
}

function toModelAnswer(
  move: Move,
  { id, input }: { readonly id: string; readonly input: number },
): ModelAnswer {
  const output = Math.round(JSON.stringify(move).length / 4)
  const content: ModelAnswer['content'] =
    move.kind === 'answer'
      ? [{ type: 'text', text: move.text }]
      : [
          {
            type: 'tool-call',
            toolCallId: id,
            toolName: move.tool,
            input: JSON.stringify(move.input),
          },
        ]
  const reason = move.kind === 'answer' ? 'stop' : 'tool-calls'
  return {
    content,
    finishReason: { unified: reason, raw: reason },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: output, text: output, reasoning: 0 },
    },
    warnings: [],
  }
}

import type { JsonObject } from '@signalbox/core'
import { type Answer, type Dialect, pickFields } from './dialect.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import type { ModelScript } from './script.ts'

const TURN = /\/models\/(?<model>[^/:]+):(?<method>generateContent|streamGenerateContent)$/

const dialect: Dialect = {
  base: '',
  asked(path, body) {
    const { model, method } = TURN.exec(path)?.groups ?? {}
    if (model === undefined) return null
    return {
      model,
      stream: method === 'streamGenerateContent',
      prompt: pickFields(body, ['systemInstruction', 'contents']),
    }
  },
  frames: (answer) => [{ data: toGeminiResponse(answer) }],
  whole: (answer) => toGeminiResponse(answer),
  aside: (path) => (path.endsWith(':countTokens') ? { totalTokens: 100 } : null),
}

export function startGeminiServer(script: ModelScript): Promise<ModelServer> {
  return startModelServer(dialect, script)
}

function toGeminiResponse(answer: Answer): JsonObject {
  const { input, output } = answer.tokens
  return {
    candidates: [
      { index: 0, content: { role: 'model', parts: toParts(answer) }, finishReason: 'STOP' },
    ],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
    },
    modelVersion: answer.model,
    responseId: `response_${answer.serial}`,
  }
}

function toParts(answer: Answer): readonly JsonObject[] {
  const text = answer.say === '' ? [] : [{ text: answer.say }]
  return [
    ...text,
    ...answer.calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } })),
  ]
}

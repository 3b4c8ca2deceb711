import type { JsonObject } from '@signalbox/core'
import { type Answer, type Dialect, pickFields, readModel, type SseFrame } from './dialect.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import type { ModelScript } from './script.ts'

const dialect: Dialect = {
  base: '/v1',
  asked(path, body) {
    if (!path.endsWith('/chat/completions')) return null
    return {
      model: readModel(body),
      stream: body['stream'] === true,
      prompt: pickFields(body, ['messages']),
    }
  },
  frames(answer) {
    const text = answer.say === '' ? [] : [{ content: answer.say }]
    return [
      chunk(answer, { choices: [choice({ role: 'assistant', content: '' })] }),
      ...[...text, ...callDeltas(answer)].map((delta) =>
        chunk(answer, { choices: [choice(delta)] }),
      ),
      chunk(answer, { choices: [{ ...choice({}), finish_reason: finishReason(answer) }] }),
      chunk(answer, { choices: [], usage: usage(answer) }),
      { data: '[DONE]' },
    ]
  },
  whole(answer) {
    const content = answer.say === '' ? null : answer.say
    const calls = answer.calls.length === 0 ? {} : { tool_calls: answer.calls.map(toolCall) }
    const message = { role: 'assistant', content, ...calls }
    return {
      ...header(answer, 'chat.completion'),
      choices: [{ index: 0, message, finish_reason: finishReason(answer) }],
      usage: usage(answer),
    }
  },
  aside: (path) => (path.endsWith('/models') ? { object: 'list', data: [MODEL] } : null),
}

const MODEL = { id: 'scripted-model', object: 'model', created: 1_700_000_000, owned_by: 'lab' }

export function startChatServer(script: ModelScript): Promise<ModelServer> {
  return startModelServer(dialect, script)
}

function toolCall({ id, name, input }: Answer['calls'][number]): JsonObject {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
}

function callDeltas(answer: Answer): readonly JsonObject[] {
  return answer.calls.map((call, index) => ({ tool_calls: [{ index, ...toolCall(call) }] }))
}

function choice(delta: JsonObject): JsonObject {
  return { index: 0, delta, finish_reason: null }
}

function chunk(answer: Answer, fields: JsonObject): SseFrame {
  return { data: { ...header(answer, 'chat.completion.chunk'), ...fields } }
}

function header(answer: Answer, object: string): JsonObject {
  return {
    id: `chatcmpl_${answer.serial}`,
    object,
    created: 1_700_000_000,
    model: answer.model,
  }
}

function finishReason(answer: Answer): string {
  return answer.calls.length > 0 ? 'tool_calls' : 'stop'
}

function usage({ tokens }: Answer): JsonObject {
  return {
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
  }
}

import type { JsonObject } from '@signalbox/core'
import { type Answer, type Dialect, pickFields, readModel, type SseFrame } from './dialect.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import type { ModelScript } from './script.ts'

const dialect: Dialect = {
  base: '',
  asked(path, body) {
    if (path !== '/v1/messages') return null
    return {
      model: readModel(body),
      stream: body['stream'] === true,
      prompt: pickFields(body, ['system', 'messages']),
    }
  },
  frames(answer) {
    return [
      event({ type: 'message_start', message: { ...message(answer, []), stop_reason: null } }),
      ...toContentBlocks(answer).flatMap(blockFrames),
      event({
        type: 'message_delta',
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: { output_tokens: answer.tokens.output },
      }),
      event({ type: 'message_stop' }),
    ]
  },
  whole: (answer) => message(answer, toContentBlocks(answer)),
  aside: (path) => (path === '/v1/messages/count_tokens' ? { input_tokens: 100 } : null),
}

export function startAnthropicServer(script: ModelScript): Promise<ModelServer> {
  return startModelServer(dialect, script)
}

type Block =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use'
      readonly id: string
      readonly name: string
      readonly input: JsonObject | string
    }

function toContentBlocks(answer: Answer): readonly Block[] {
  const text: readonly Block[] = answer.say === '' ? [] : [{ type: 'text', text: answer.say }]
  return [
    ...text,
    ...answer.calls.map(({ id, name, input }): Block => ({ type: 'tool_use', id, name, input })),
  ]
}

function blockFrames(block: Block, index: number): readonly SseFrame[] {
  const [start, delta] =
    block.type === 'text'
      ? [
          { type: 'text', text: '' },
          { type: 'text_delta', text: block.text },
        ]
      : [
          { ...block, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
        ]
  return [
    event({ type: 'content_block_start', index, content_block: start }),
    event({ type: 'content_block_delta', index, delta }),
    event({ type: 'content_block_stop', index }),
  ]
}

function stopReason(answer: Answer): string {
  return answer.calls.length > 0 ? 'tool_use' : 'end_turn'
}

function message(answer: Answer, content: readonly Block[]): JsonObject {
  return {
    id: `msg_${answer.serial}`,
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content,
    stop_reason: stopReason(answer),
    stop_sequence: null,
    usage: {
      input_tokens: answer.tokens.input,
      output_tokens: answer.tokens.output,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  }
}

function event(data: JsonObject & { readonly type: string }): SseFrame {
  return { event: data.type, data }
}

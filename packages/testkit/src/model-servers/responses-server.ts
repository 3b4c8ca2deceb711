import type { JsonObject } from '@signalbox/core'
import { type Answer, type Dialect, pickFields, readModel, type SseFrame } from './dialect.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import type { ModelScript } from './script.ts'

const dialect: Dialect = {
  base: '/v1',
  asked(path, body) {
    if (!path.endsWith('/responses')) return null
    return {
      model: readModel(body),
      stream: body['stream'] === true,
      prompt: pickFields(body, ['instructions', 'input']),
    }
  },
  frames(answer) {
    const started = { ...toResponsesAnswer(answer, []), status: 'in_progress' }
    const ended = toResponsesAnswer(answer, toResponseItems(answer))
    const frames = [
      { type: 'response.created', response: started },
      ...toResponseItems(answer).flatMap(itemFrames),
      { type: 'response.completed', response: ended },
    ]
    return frames.map((frame, index) => event({ ...frame, sequence_number: index }))
  },
  whole: (answer) => toResponsesAnswer(answer, toResponseItems(answer)),
  aside: (path) => (path.endsWith('/models') ? { object: 'list', data: [], models: [] } : null),
}

export function startResponsesServer(script: ModelScript): Promise<ModelServer> {
  return startModelServer(dialect, script)
}

function toResponseItems(answer: Answer): readonly JsonObject[] {
  const message: readonly JsonObject[] =
    answer.say === ''
      ? []
      : [
          {
            type: 'message',
            id: `msg_${answer.serial}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: answer.say, annotations: [] }],
          },
        ]
  return [...message, ...answer.calls.map(callItem)]
}

function callItem(call: Answer['calls'][number]): JsonObject {
  const { id, name, input, namespace } = call
  const place = namespace === undefined ? {} : { namespace }
  const common = { id: `item_${id}`, call_id: id, name, ...place, status: 'completed' }
  return typeof input === 'string'
    ? { ...common, type: 'custom_tool_call', input }
    : { ...common, type: 'function_call', arguments: JSON.stringify(input) }
}

function itemFrames(item: JsonObject, index: number): readonly JsonObject[] {
  const place = { output_index: index, item_id: item['id'] ?? '' }
  const text = item['type'] === 'message' ? textFrames(item, place) : []
  return [
    { type: 'response.output_item.added', output_index: index, item: emptied(item) },
    ...text,
    { type: 'response.output_item.done', output_index: index, item },
  ]
}

function emptied(item: JsonObject): JsonObject {
  const blank = { ...item, status: 'in_progress' }
  if (item['type'] === 'message') return { ...blank, content: [] }
  return item['type'] === 'function_call' ? { ...blank, arguments: '' } : { ...blank, input: '' }
}

function textFrames(item: JsonObject, place: JsonObject): readonly JsonObject[] {
  const [part] = Array.isArray(item['content']) ? item['content'] : []
  const at = { ...place, content_index: 0 }
  const text = part.text
  return [
    {
      ...at,
      type: 'response.content_part.added',
      part: { type: 'output_text', text: '', annotations: [] },
    },
    { ...at, type: 'response.output_text.delta', delta: text },
    { ...at, type: 'response.output_text.done', text },
    { ...at, type: 'response.content_part.done', part },
  ]
}

function toResponsesAnswer(answer: Answer, output: readonly JsonObject[]): JsonObject {
  const { input, output: written } = answer.tokens
  return {
    id: `resp_${answer.serial}`,
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    model: answer.model,
    output,
    parallel_tool_calls: true,
    tools: [],
    error: null,
    incomplete_details: null,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: written,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + written,
    },
  }
}

function event(data: JsonObject & { readonly type?: unknown }): SseFrame {
  return { event: String(data.type), data }
}

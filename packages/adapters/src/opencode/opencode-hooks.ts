import { isJsonObject, type JsonObject, type JsonValue, omitUndefined } from '@signalbox/core'
import {
  type HookAnswer,
  type HookEvent,
  type HookHarness,
  HookPayload,
  type NativeCall,
  type NativeResult,
  type ReplacedContent,
} from '@signalbox/runtime/harness'
import { opencodeProfile } from './capabilities.ts'

export const opencode: HookHarness = {
  name: 'opencode',
  profile: opencodeProfile,
  read(payload) {
    const fields = new HookPayload(payload)
    const agent = fields.optionalText('agent')
    return {
      session: fields.text('session'),
      cwd: fields.optionalText('cwd') ?? null,
      event: readOpencodeEvent(fields, agent === undefined ? {} : { agent }),
      ...omitUndefined({ version: fields.optionalText('version') }),
    }
  },
  answer: (_, answer) => toPluginAnswer(answer),
  refuse(payload, reason) {
    const kind = isJsonObject(payload) ? payload['kind'] : 'before'
    if (kind === 'stop') return { block: reason }
    return kind === 'after' || kind === 'failed' || kind === 'deleted' ? null : { deny: reason }
  },
}

function readOpencodeEvent(fields: HookPayload, by: { readonly agent?: string }): HookEvent {
  switch (fields.text('kind')) {
    case 'before':
      return { kind: 'tool_requested', call: readOpencodeCall(fields, by) }
    case 'after':
      return {
        kind: 'tool_finished',
        result: { ...readOpencodeCall(fields, by), ...readOpencodeOutcome(fields) },
      }
    case 'failed': {
      const error = fields.optionalText('error') ?? 'The tool failed.'
      return {
        kind: 'tool_finished',
        result: { ...readOpencodeCall(fields, by), outcome: 'failure', error },
      }
    }
    case 'stop': {
      const lastMessage = fields.optionalText('text')
      const via = by.agent === undefined ? 'turn_end' : 'subagent_end'
      const said = lastMessage === undefined ? {} : { lastMessage }
      return { kind: 'stop_attempted', attempt: { via, ...said, ...by } }
    }
    case 'deleted':
      return by.agent === undefined
        ? { kind: 'session_ended', reason: 'completed' }
        : { kind: 'other' }
    default:
      return { kind: 'other' }
  }
}

function readOpencodeCall(fields: HookPayload, by: { readonly agent?: string }): NativeCall {
  const input: JsonValue = fields.value('args') ?? {}
  return { tool: fields.text('tool'), input, callId: fields.text('call_id'), ...by }
}

/** A command reports its end by its exit code; other tools report a failure by a separate event. */
function readOpencodeOutcome(
  fields: HookPayload,
): Pick<NativeResult, 'outcome' | 'output' | 'error'> {
  const output = fields.value('output') ?? null
  const exit = fields.value('exit')
  if (typeof exit === 'number' && exit !== 0) {
    return { outcome: 'failure', output, error: `Exit code ${exit}` }
  }
  const isCommand = fields.text('tool') === 'bash'
  return { outcome: isCommand && typeof exit !== 'number' ? 'unknown' : 'success', output }
}

function toPluginAnswer(answer: HookAnswer): JsonObject | null {
  switch (answer.kind) {
    case 'pass':
      return answer.input === undefined && answer.replaced === undefined ? null : toContent(answer)
    case 'deny':
      return { deny: answer.reason }
    case 'feedback':
      return { feedback: answer.text, ...toContent(answer) }
    case 'block':
      return { block: answer.message }
    default:
      return answer satisfies never
  }
}

function toContent({ input, replaced }: ReplacedContent): JsonObject {
  return omitUndefined({ args: input, replaced: replaced?.output ?? replaced?.error })
}

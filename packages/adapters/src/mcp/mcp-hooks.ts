// Protocol between proxies and a daemon. Both ends are ours; the other one is hook-gate.ts.
import {
  DENIED_BY_POLICY,
  isJsonObject,
  type JsonObject,
  omitUndefined,
  type ToolOutcome,
} from '@signalbox/core'
import type { FinishedCall } from '@signalbox/runtime'
import {
  type HarnessVerdict,
  type HookEvent,
  type HookHarness,
  HookPayload,
  HookPayloadError,
  type NativeCall,
} from '@signalbox/runtime/harness'
import { MCP_PROFILE } from './capabilities.ts'

const OUTCOMES: readonly ToolOutcome[] = ['success', 'failure', 'denied', 'invalid', 'unknown']
const REASONS = ['completed', 'failed', 'aborted'] as const

/** Proxies of one client, each a participant of their shared session. */
export const mcp: HookHarness = {
  name: MCP_PROFILE.name,
  profile: () => MCP_PROFILE,
  read(payload) {
    const fields = new HookPayload(payload)
    return {
      session: fields.text('session'),
      participant: fields.text('proxy'),
      cwd: fields.optionalText('cwd') ?? null,
      event: readMcpEvent(fields),
    }
  },
  answer(event, answer) {
    if (event.kind === 'tool_requested') {
      if (answer.kind === 'deny') return { allowed: false, text: answer.reason }
      const input = 'input' in answer ? answer.input : undefined
      return {
        allowed: true,
        text: answer.kind === 'feedback' ? answer.text : null,
        ...omitUndefined({ input }),
      }
    }
    const replaced = 'replaced' in answer ? answer.replaced : undefined
    return {
      text: answer.kind === 'feedback' ? answer.text : null,
      // A replacement is JSON; its type only lacks an index signature.
      ...(replaced === undefined ? {} : { replaced: { ...replaced } as JsonObject }),
    }
  },
  refuse: (_, reason) => ({ allowed: false, text: reason }),
}

function readMcpEvent(fields: HookPayload): HookEvent {
  const kind = fields.text('kind')
  switch (kind) {
    case 'begun':
      return { kind: 'session_started' }
    case 'tool.before':
      return { kind: 'tool_requested', call: readMcpCall(fields) }
    case 'tool.after':
      return { kind: 'tool_finished', result: readMcpResult(fields) }
    case 'ended':
      return { kind: 'session_ended', reason: readWord(fields, 'reason', REASONS) }
    default:
      throw new HookPayloadError(`The payload's kind '${kind}' is not known`)
  }
}

function readMcpCall(fields: HookPayload): NativeCall {
  return {
    tool: fields.text('tool'),
    input: fields.value('input'),
    callId: fields.text('call_id'),
  }
}

function readMcpResult(fields: HookPayload) {
  const output = fields.value('output')
  const error = fields.optionalText('error')
  const durationMs = fields.value('duration_ms')
  return {
    ...readMcpCall(fields),
    outcome: readWord(fields, 'outcome', OUTCOMES),
    ...omitUndefined({
      output,
      error,
      durationMs: typeof durationMs === 'number' ? durationMs : undefined,
    }),
  }
}

function readWord<Word extends string>(
  fields: HookPayload,
  name: string,
  words: readonly Word[],
): Word {
  const text = fields.text(name)
  const word = words.find((each) => each === text)
  if (word === undefined) throw new HookPayloadError(`The payload's ${name} '${text}' is not known`)
  return word
}

/** Verdict in the daemon's answer; null: unreadable. */
export function verdictIn(answer: unknown): HarnessVerdict | null {
  if (!isJsonObject(answer)) return null
  const text = feedbackIn(answer)
  return answer['allowed'] === true
    ? { allowed: true, text, ...(isJsonObject(answer['input']) ? { input: answer['input'] } : {}) }
    : { allowed: false, text: text ?? DENIED_BY_POLICY }
}

export function finishedIn(answer: unknown): FinishedCall {
  const feedback = feedbackIn(answer)
  const given = isJsonObject(answer) ? answer['replaced'] : undefined
  if (!isJsonObject(given)) return { feedback, replaced: null }
  const { output, error } = given
  return {
    feedback,
    replaced: {
      ...omitUndefined({ output, error: typeof error === 'string' ? error : undefined }),
    },
  }
}

/** null: nothing for the agent. */
function feedbackIn(answer: unknown): string | null {
  const text = isJsonObject(answer) ? answer['text'] : null
  return typeof text === 'string' ? text : null
}

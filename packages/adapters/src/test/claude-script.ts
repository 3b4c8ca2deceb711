import path from 'node:path'
import type {
  CompatRun,
  ModelTurn,
  NativeToolCall,
  ScriptedCall,
  ScriptedTurn,
} from '@signalbox/testkit'
import { toCheckCommand } from './check-command.ts'

export const CLAUDE_COMPAT_TOOLS = {
  write: 'write_file',
  read: 'read_file',
  check: 'shell',
  plan: 'update_plan',
} as const

export const ANSWER_SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
} as const

export function givesOutput({ script }: Pick<CompatRun, 'script'>): boolean {
  return script.some((turn) => 'output' in turn)
}

export function claudeScript(script: readonly ModelTurn[], workspace: string): ScriptedTurn[] {
  // Claude numbers its tasks.
  const tasks: string[] = []
  return script.map((turn): ScriptedTurn => {
    if ('say' in turn) return { say: turn.say }
    if ('output' in turn)
      return { calls: [{ name: 'StructuredOutput', input: turn.output as never }] }
    return { calls: turn.calls.flatMap((call) => toClaudeCalls(call, workspace, tasks)) }
  })
}

function toClaudeCalls(call: ScriptedCall, workspace: string, tasks: string[]): NativeToolCall[] {
  if ('write' in call) {
    const file_path = path.join(workspace, call.write)
    return [{ name: 'Write', input: { file_path, content: call.content } }]
  }
  if ('read' in call)
    return [{ name: 'Read', input: { file_path: path.join(workspace, call.read) } }]
  if ('check' in call) {
    return [{ name: 'Bash', input: { command: toCheckCommand(call.check) } }]
  }
  return call.plan.flatMap(({ title, done }) => {
    const known = tasks.indexOf(title)
    const create = { name: 'TaskCreate', input: { subject: title, description: title } }
    const taskId = String(known === -1 ? tasks.push(title) : known + 1)
    const finish = { name: 'TaskUpdate', input: { taskId, status: 'completed' } }
    return [...(known === -1 ? [create] : []), ...(done ? [finish] : [])]
  })
}

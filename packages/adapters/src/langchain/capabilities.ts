import type { PlanStep } from '@signalbox/core'
import type { HarnessCapabilities } from '@signalbox/runtime'
import type { HarnessProfile, NativeTools } from '@signalbox/runtime/harness'

export const LANGCHAIN_CAPABILITIES: HarnessCapabilities = {
  denyReason: true,
  inject: 'message',
  blockStop: 'in_loop',
  maxBlocks: null,
  structured: 'before_accept',
  structuredAttempts: null,
  failure: 'event',
  callIds: true,
  batch: 'parallel',
  onGuardCrash: 'closed',
  onGuardTimeout: 'closed',
  approvalSeconds: null,
  replacesArguments: true,
  replacesResults: true,
  ungoverned: ['tools that the provider runs itself'],
}

const STATUS = new Map([
  ['completed', 'done'],
  ['in_progress', 'in_progress'],
  ['pending', 'pending'],
] as const)

const UNREADABLE: PlanStep = { title: 'A step that could not be read.', status: 'pending' }

const TOOLS: NativeTools = {
  write_todos: {
    name: 'update_plan',
    plan: ({ todos }) => (Array.isArray(todos) ? todos.map(toTodoStep) : null),
  },
}

/** A step that cannot be read stays open; without it, the plan could seem complete. */
function toTodoStep(todo: unknown): PlanStep {
  if (typeof todo !== 'object' || todo === null) return UNREADABLE
  if (!('content' in todo) || typeof todo.content !== 'string') return UNREADABLE
  const status = 'status' in todo ? [...STATUS].find(([native]) => native === todo.status) : null
  return { title: todo.content, status: status?.[1] ?? 'pending' }
}

export const LANGCHAIN_PROFILE: HarnessProfile = {
  name: 'langchain',
  version: '1',
  capabilities: LANGCHAIN_CAPABILITIES,
  tools: TOOLS,
}

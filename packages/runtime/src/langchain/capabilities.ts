// What LangChain lets guardrails do (specs/adapters/langchain.md). Tests of the adapter take their expectations from here.
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
  ungoverned: ['tools that the provider runs itself'],
}

const STATUS = new Map([
  ['completed', 'done'],
  ['in_progress', 'in_progress'],
  ['pending', 'pending'],
] as const)

/** All tools are the host's own but the plan of LangChain's to-do list. */
const TOOLS: NativeTools = {
  write_todos: {
    name: 'update_plan',
    plan: ({ todos }) =>
      Array.isArray(todos) ? todos.flatMap((todo: unknown) => stepOf(todo) ?? []) : null,
  },
}

function stepOf(todo: unknown) {
  if (typeof todo !== 'object' || todo === null) return null
  if (!('content' in todo) || typeof todo.content !== 'string') return null
  const status = 'status' in todo ? [...STATUS].find(([native]) => native === todo.status) : null
  return { title: todo.content, status: status?.[1] ?? 'pending' } as const
}

export const LANGCHAIN_PROFILE: HarnessProfile = {
  name: 'langchain',
  version: '1',
  capabilities: LANGCHAIN_CAPABILITIES,
  tools: TOOLS,
}

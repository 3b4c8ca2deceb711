// MCP tools keep their names, `mcp__server__tool` (specs/adapters/claude-code.md).
import { isJsonObject, type JsonObject, omitUndefined, type PlanStep } from '@signalbox/core'
import type { FinishedPlanCall, NativeTools } from '@signalbox/runtime/harness'

export const CLAUDE_TOOLS: NativeTools = {
  Read: { name: 'read_file' },
  Write: { name: 'write_file' },
  Edit: { name: 'edit_file' },
  MultiEdit: { name: 'edit_file' },
  NotebookEdit: { name: 'notebook_edit', args: withNotebookPath },
  LS: { name: 'list_files' },
  Glob: { name: 'glob' },
  Grep: { name: 'grep' },
  Bash: { name: 'shell' },
  PowerShell: { name: 'shell' },
  Monitor: { name: 'shell' },
  Agent: { name: 'task' },
  Task: { name: 'task' },
  WebFetch: { name: 'web_fetch' },
  WebSearch: { name: 'web_search' },
  TodoWrite: { name: 'update_plan', plan: readTodos },
  TaskCreate: { name: 'update_plan', plan: planWithNewTask },
  TaskUpdate: { name: 'update_plan', plan: planWithChangedTask },
  TaskList: { name: 'TaskList', plan: readTaskList },
}

function withNotebookPath(input: JsonObject): JsonObject {
  const { notebook_path } = input
  return typeof notebook_path === 'string' ? { ...input, file_path: notebook_path } : input
}

// Claude's plan. Task tools change one task at a time and return its id; TodoWrite, in versions that still have it, passes the whole list.

type Plan = readonly PlanStep[] | null

function readTodos({ todos }: JsonObject): Plan {
  if (!Array.isArray(todos)) return null
  return todos.map((todo) =>
    toClaudeStep({ ...toPlanObject(todo), subject: toPlanObject(todo)['content'] ?? '' }),
  )
}

function planWithNewTask(input: JsonObject, { output, plan }: FinishedPlanCall): Plan {
  const task = toPlanObject(toPlanObject(output)['task'])
  return [...plan, toClaudeStep({ status: 'pending', ...input, ...task })]
}

/** A task that is not in the plan existed before the session was observed. */
function planWithChangedTask(input: JsonObject, { plan }: FinishedPlanCall): Plan {
  const { taskId, status, subject } = input
  if (typeof taskId !== 'string') return null
  if (status === 'deleted') return plan.filter(({ id }) => id !== taskId)
  const before = plan.find(({ id }) => id === taskId) ?? { id: taskId, title: `Task ${taskId}` }
  const after = {
    ...before,
    ...omitUndefined({
      title: typeof subject === 'string' ? subject : undefined,
      status: typeof status === 'string' ? toPlanStatus(status) : undefined,
    }),
  }
  const known = plan.some(({ id }) => id === taskId)
  return known ? plan.map((step) => (step.id === taskId ? after : step)) : [...plan, after]
}

function readTaskList(_: JsonObject, { output }: FinishedPlanCall): Plan {
  const { tasks } = toPlanObject(output)
  return Array.isArray(tasks) ? tasks.map((task) => toClaudeStep(toPlanObject(task))) : null
}

function toClaudeStep({ id, subject, status }: JsonObject): PlanStep {
  return {
    ...(typeof id === 'string' ? { id } : {}),
    title: typeof subject === 'string' && subject !== '' ? subject : 'Task without a name',
    ...(typeof status === 'string' ? { status: toPlanStatus(status) } : {}),
  }
}

function toPlanStatus(status: string): string {
  return status === 'completed' ? 'done' : status
}

function toPlanObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

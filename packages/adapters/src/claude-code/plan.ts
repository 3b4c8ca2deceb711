// Claude's plan. Task tools change one task at a time and name its id in the result; TodoWrite, where a version still has it,
// brings the whole list.
import { isJsonObject, type JsonObject, type PlanStep } from '@signalbox/core'
import type { FinishedPlanCall } from '@signalbox/runtime/harness'

type Plan = readonly PlanStep[] | null

export function readTodos({ todos }: JsonObject): Plan {
  if (!Array.isArray(todos)) return null
  return todos.map((todo) =>
    toClaudeStep({ ...toPlanObject(todo), subject: toPlanObject(todo)['content'] ?? '' }),
  )
}

export function planWithNewTask(input: JsonObject, { output, plan }: FinishedPlanCall): Plan {
  const task = toPlanObject(toPlanObject(output)['task'])
  return [...plan, toClaudeStep({ status: 'pending', ...input, ...task })]
}

/** A task that is not in the plan was there before the session was watched. */
export function planWithChangedTask(input: JsonObject, { plan }: FinishedPlanCall): Plan {
  const { taskId, status, subject } = input
  if (typeof taskId !== 'string') return null
  if (status === 'deleted') return plan.filter(({ id }) => id !== taskId)
  const before = plan.find(({ id }) => id === taskId) ?? { id: taskId, title: `Task ${taskId}` }
  const after = {
    ...before,
    ...(typeof subject === 'string' ? { title: subject } : {}),
    ...(typeof status === 'string' ? { status: toPlanStatus(status) } : {}),
  }
  const known = plan.some(({ id }) => id === taskId)
  return known ? plan.map((step) => (step.id === taskId ? after : step)) : [...plan, after]
}

export function readTaskList(_: JsonObject, { output }: FinishedPlanCall): Plan {
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

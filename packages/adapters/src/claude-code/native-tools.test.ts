import type { JsonObject, PlanStep } from '@signalbox/core'
import type { FinishedPlanCall } from '@signalbox/runtime/harness'
import { describe, expect, test } from 'vitest'
import { CLAUDE_TOOLS } from './native-tools.ts'

function planAfter(tool: string, input: JsonObject, done: Partial<FinishedPlanCall> = {}) {
  return CLAUDE_TOOLS[tool]?.plan?.(input, { output: null, plan: [], ...done })
}

test('NotebookEdit of Claude names its notebook in file_path', () => {
  const args = CLAUDE_TOOLS['NotebookEdit']?.args
  expect(args?.({ notebook_path: '/repo/a.ipynb', new_source: 'x' })).toEqual({
    notebook_path: '/repo/a.ipynb',
    new_source: 'x',
    file_path: '/repo/a.ipynb',
  })
  expect(args?.({ new_source: 'x' })).toEqual({ new_source: 'x' })
})

describe("the plan from Claude's task tools", () => {
  const one: PlanStep = { id: '1', title: 'One', status: 'pending' }
  const two: PlanStep = { id: '2', title: 'Two', status: 'pending' }

  test("grows by each new task, with Claude's id", () => {
    const created = { task: { id: '2', subject: 'Two', description: 'd' } }
    expect(planAfter('TaskCreate', { subject: 'Two' }, { output: created, plan: [one] })).toEqual([
      one,
      two,
    ])
    expect(planAfter('TaskCreate', { subject: 'Two' })).toEqual([
      { title: 'Two', status: 'pending' },
    ])
  })

  test('changes one task per call', () => {
    const change = (input: JsonObject) =>
      planAfter('TaskUpdate', input, { output: { success: true }, plan: [one, two] })
    expect(change({ taskId: '1', status: 'completed' })).toEqual([{ ...one, status: 'done' }, two])
    expect(change({ taskId: '2', subject: 'Other' })).toEqual([one, { ...two, title: 'Other' }])
    expect(change({ taskId: '1', status: 'deleted' })).toEqual([two])
    expect(change({ taskId: '9', status: 'in_progress' })).toEqual([
      one,
      two,
      { id: '9', title: 'Task 9', status: 'in_progress' },
    ])
    expect(change({ status: 'completed' })).toBeNull()
  })

  test("the plan from Claude's task tools is replaced by a complete list", () => {
    const tasks = [{ id: '1', subject: 'One', status: 'completed', blockedBy: [] }]
    expect(planAfter('TaskList', {}, { output: { tasks }, plan: [two] })).toEqual([
      { ...one, status: 'done' },
    ])
    expect(planAfter('TaskList', {}, { output: 'text', plan: [two] })).toBeNull()
    const todos = [
      { content: 'One', status: 'completed', activeForm: 'Doing one' },
      { content: '', status: 'pending', activeForm: '' },
    ]
    expect(planAfter('TodoWrite', { todos }, { plan: [two] })).toEqual([
      { title: 'One', status: 'done' },
      { title: 'Task without a name', status: 'pending' },
    ])
    expect(planAfter('TodoWrite', {})).toBeNull()
  })
})

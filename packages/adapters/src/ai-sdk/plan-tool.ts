import type { GuardedSession } from '@signalbox/runtime'
import { type Tool, tool } from 'ai'
import * as z from 'zod/v4'

const Plan = z.object({
  steps: z.array(
    z.object({ title: z.string().min(1), status: z.enum(['pending', 'in_progress', 'done']) }),
  ),
})

export type PlanInput = z.output<typeof Plan>

/** Each call replaces the whole plan. */
export function planTool(session: GuardedSession): Tool<PlanInput, string> {
  return tool({
    description:
      'Write down or update your whole plan. Mark each step pending, in_progress or done.',
    inputSchema: Plan,
    execute: async ({ steps }) => {
      await session.updatePlan(steps)
      const done = steps.filter((step) => step.status === 'done').length
      return `${done} of ${steps.length} steps are done.`
    },
  })
}

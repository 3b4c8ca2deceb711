// An agent that may deploy a number of times a minute, and may stop once CHANGELOG.md exists.
import { createGuardrails, type GuardedSession, type Guardrails } from '@signalbox/runtime'
import { ORIGIN, secrets } from './product.ts'

export const buildRateText = (
  prompt: { readonly ns: string; readonly key: string },
  perMinute: number,
): string =>
  JSON.stringify(
    {
      schema_version: 1,
      ...prompt,
      policies: [
        {
          id: 'rate',
          type: 'rate_limit',
          tools: ['deploy'],
          max_calls: perMinute,
          per_seconds: 60,
        },
      ],
      task_completion_checker: { id: 'done', type: 'files_exist', files: ['CHANGELOG.md'] },
    },
    null,
    2,
  )

export const connectAgent = (prompt: string, dataDir: string): Guardrails =>
  createGuardrails({ url: ORIGIN, apiKey: secrets().demoKey, prompt, dataDir })

/** Returns whether the call was allowed. */
export async function deploy(session: GuardedSession, callId: string): Promise<boolean> {
  const call = { tool: 'deploy', args: { target: 'staging' }, callId }
  const { allowed } = await session.beforeToolCall(call)
  if (allowed) await session.afterToolCall({ ...call, outcome: 'success' })
  return allowed
}

// Reports the state that a test needs, independently of the served bundle.
import { expect } from '@playwright/test'
import { ORIGIN, secrets } from './product.ts'

interface Report {
  /** Revision of its bundle; null: none. */
  readonly applied: number | null
  readonly rejected?: { readonly revision: number; readonly reason: string }
}

export interface ReportingRuntime {
  readonly report: (report: Report) => Promise<void>
  /** Signs off, so that the runtime no longer counts as connected. */
  readonly stop: () => Promise<void>
}

export async function startReporting(
  name: string,
  {
    sdkVersion = '0.1.0',
    prompt = 'demo/release-notes',
  }: { readonly sdkVersion?: string; readonly prompt?: string } = {},
): Promise<ReportingRuntime> {
  const ask = async (what: string, body: object) => {
    const answer = await fetch(`${ORIGIN}/api/runtime/v1/${what}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secrets().demoKey}` },
      body: JSON.stringify({ now: Date.now(), ...body }),
    })
    expect(answer.status).toBe(200)
    return (await answer.json()) as { readonly runtime_id: string }
  }
  const { runtime_id } = await ask('register', {
    name,
    sdk_version: sdkVersion,
    harness: { name: 'library' },
    prompts: [prompt],
    posture: 'last_known_good',
    capabilities: { policies: [], feedback_providers: [], checkers: [] },
  })
  const digest = `sha256:${'0'.repeat(64)}`
  const beat = async ({ applied, rejected = undefined }: Report, stopping = false) => {
    const runs = applied === null ? null : { revision: applied, digest, source: 'server' }
    await ask('heartbeat', {
      runtime_id,
      applied: runs,
      rejected: rejected ?? null,
      live_sessions: 0,
      spooled_events: 0,
      ...(stopping ? { stopping } : {}),
    })
  }
  await beat({ applied: null })
  return { report: (report) => beat(report), stop: () => beat({ applied: null }, true) }
}

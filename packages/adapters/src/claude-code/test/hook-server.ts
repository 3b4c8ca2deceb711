import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { omitUndefined, type SessionEvent } from '@signalbox/core'
import { createGuardrails, type GuardrailsOptions } from '@signalbox/runtime'
import { type HookHarness, HookHost } from '@signalbox/runtime/harness'
import type { CompatRun } from '@signalbox/testkit'
import { orderGiver } from '../../test/give-orders.ts'
import { claudeVersion } from '../capabilities.ts'
import { CLAUDE_AGENT_HEADER } from '../hook-settings.ts'

export interface HookServer {
  readonly url: string
  /** Command for a command hook; refuses by its exit status when it cannot call the server, like the shim. */
  readonly command: string
  readonly events: readonly SessionEvent[]
  readonly payloads: readonly unknown[]
  close(): Promise<void>
}

type Guarded = Pick<CompatRun, 'config' | 'guard' | 'deadlineInMs' | 'budget' | 'orders'>

export async function startHookServer(
  harness: HookHarness,
  { config, guard, deadlineInMs, budget, orders }: Guarded,
  more: Omit<GuardrailsOptions, 'config'> = {},
): Promise<HookServer> {
  const events: SessionEvent[] = []
  const payloads: unknown[] = []
  const giver = orderGiver(orders)
  const guardrails = giver.follow(
    createGuardrails({
      ...more,
      config,
      onEvent: (line) => {
        events.push(JSON.parse(line))
        giver.onEvent(line)
      },
    }),
  )
  const host = new HookHost({
    open: (_, options) =>
      guardrails.openSession({
        ...options,
        ...omitUndefined({
          deadlineAt: deadlineInMs === undefined ? undefined : Date.now() + deadlineInMs,
          budget,
        }),
      }),
  })
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const payload: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    payloads.push(payload)
    if (guard === 'hangs') return
    const told = request.headers[CLAUDE_AGENT_HEADER]
    const version = claudeVersion(typeof told === 'string' ? told : null)
    const answer = await host.handle(harness, payload, { version })
    response.end(JSON.stringify(answer ?? {}))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  // `listen` on a TCP port, so that the address is never a path.
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/hook/claude-code`
  const stopListening = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  if (guard === 'crashes') await stopListening()
  const patience = guard === 'hangs' ? 0.5 : 30
  const agent = `-H "${CLAUDE_AGENT_HEADER}: $AI_AGENT"`
  return {
    url,
    command: `curl -sS --fail --max-time ${patience} ${agent} --data-binary @- ${url} || exit 2`,
    events,
    payloads,
    close: async () => {
      if (guard !== 'crashes') await stopListening()
      await host.close()
    },
  }
}

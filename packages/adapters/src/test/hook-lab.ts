// The hook's command is curl, the closest to the daemon's shim that a test of this package can use.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { omitUndefined, type SessionEvent } from '@signalbox/core'
import { createGuardrails } from '@signalbox/runtime'
import { type HookHarness, HookHost } from '@signalbox/runtime/harness'
import type { CompatRun } from '@signalbox/testkit'
import { orderGiver } from './give-orders.ts'

export interface HookLab {
  readonly command: string
  readonly events: readonly SessionEvent[]
  readonly hooks: readonly { readonly payload: unknown; readonly answer: unknown }[]
  close(): Promise<void>
}

type ListenPlace = 'port' | { readonly socket: string }

/** Seconds that a hook waits for an answer; short if none will arrive. */
const PATIENCE = { works: 30, hangs: 0.5 }

export async function startHookLab(
  harness: HookHarness,
  run: Pick<CompatRun, 'config' | 'guard' | 'deadlineInMs' | 'budget' | 'orders'> & {
    /** Version of the harness. Absent: only its hooks report it. */
    readonly version?: string
  },
  door: ListenPlace = 'port',
): Promise<HookLab> {
  const events: SessionEvent[] = []
  const hooks: { payload: unknown; answer: unknown }[] = []
  const giver = orderGiver(run.orders)
  const guardrails = giver.follow(
    createGuardrails({
      config: run.config,
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
          deadlineAt: run.deadlineInMs === undefined ? undefined : Date.now() + run.deadlineInMs,
          budget: run.budget,
        }),
      }),
  })
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const payload: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    if (run.guard === 'hangs') {
      hooks.push({ payload, answer: null })
      return
    }
    const answer = await host.handle(harness, payload, { version: run.version ?? null })
    hooks.push({ payload, answer })
    // The shim prints nothing for an empty answer.
    const empty = door === 'port' ? '' : '{}'
    response.end(answer === null ? empty : JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => {
    if (door === 'port') server.listen(0, '127.0.0.1', resolve)
    else server.listen(door.socket, resolve)
  })
  const at = toCurlAddress(server, door)
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  if (run.guard === 'crashes') await close()
  const patience = run.guard === 'hangs' ? PATIENCE.hangs : PATIENCE.works
  return {
    command: `curl -sS --fail --max-time ${patience} --data-binary @- ${at}`,
    events,
    hooks,
    close: async () => {
      if (run.guard !== 'crashes') await close()
      await host.close()
    },
  }
}

function toCurlAddress(server: http.Server, door: ListenPlace): string {
  if (door !== 'port') return `--unix-socket ${door.socket} http://localhost/`
  // A server that listens on a TCP port has no path for an address.
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}/`
}

import { HookGate, type SessionGate } from '@signalbox/adapters/mcp'
import { isJsonObject, type JsonObject } from '@signalbox/core'
import type { Guardrails, OnDiagnostic, SessionEnd } from '@signalbox/runtime'
import { type HarnessProfile, HarnessSession } from '@signalbox/runtime/harness'
import { askSocket } from './daemon/ask-socket.ts'

export interface CallJudge {
  readonly open: () => SessionGate
  readonly close: () => Promise<void>
}

/** The daemon answers within 45 s. */
const ANSWER_MS = 50_000
/** Milliseconds to send recorded events: clients kill this process two seconds after they end. */
const FLUSH_MS = 1000

export function ownJudge(
  guardrails: Pick<Guardrails, 'ready' | 'openSession' | 'close'>,
  { profile, cwd }: { readonly profile: HarnessProfile; readonly cwd: string },
): CallJudge {
  return {
    open: () =>
      new FirstCallSession(async () => {
        await guardrails.ready()
        return HarnessSession.open(guardrails, profile, { workspaceRoot: cwd })
      }),
    close: () => guardrails.close(FLUSH_MS),
  }
}

/** Opens with its first call: clients start servers that they never call, and a config may not be in force before the first call. */
class FirstCallSession implements SessionGate {
  readonly #open: () => Promise<HarnessSession>
  #opened: Promise<HarnessSession> | null = null

  constructor(open: () => Promise<HarnessSession>) {
    this.#open = open
  }

  async before(call: Parameters<SessionGate['before']>[0]) {
    this.#opened ??= this.#tried()
    return (await this.#opened).before(call)
  }

  async finish(result: Parameters<SessionGate['finish']>[0]) {
    // Without a session, no call was allowed.
    if (this.#opened === null) return { feedback: null, replaced: null }
    return (await this.#opened).finish(result)
  }

  async end(ended: SessionEnd): Promise<void> {
    // A session that could not be opened has refused its call, and needs no end.
    const session = await this.#opened?.catch(() => null)
    await session?.end(ended)
  }

  /** When the session cannot be opened, the call is refused and the next one tries again. */
  async #tried(): Promise<HarnessSession> {
    try {
      return await this.#open()
    } catch (error) {
      this.#opened = null
      throw error
    }
  }
}

export interface DaemonJudgeParts {
  readonly socket: string
  readonly cwd: string
  readonly session: () => string
  readonly report: OnDiagnostic
}

export function daemonJudge({ socket, cwd, session, report }: DaemonJudgeParts): CallJudge {
  return {
    open: () => {
      const gate = new HookGate({
        ask: (payload) => askDaemon(socket, payload),
        session: session(),
        cwd,
        onTrouble: (message) => report({ level: 'error', code: 'daemon_not_asked', message }),
      })
      void gate.begin()
      return gate
    },
    close: async () => undefined,
  }
}

/** Rejects, with a message for the agent, when the daemon does not answer. */
async function askDaemon(socketPath: string, payload: JsonObject): Promise<unknown> {
  const body = JSON.stringify(payload)
  const asked = { method: 'POST', path: '/hook/mcp', body, timeoutMs: ANSWER_MS } as const
  const answer = await askSocket(socketPath, asked).catch(() => null)
  if (answer === null)
    throw new Error(
      `The Signalbox daemon does not answer on ${socketPath}. Start it with "signalbox daemon".`,
    )
  if (answer.status !== 200)
    throw new Error(`The Signalbox daemon on ${socketPath} answered with status ${answer.status}.`)
  const json: unknown = JSON.parse(answer.body)
  if (!isJsonObject(json)) throw new Error('The Signalbox daemon did not answer with an object.')
  return json
}

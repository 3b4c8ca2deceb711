// Copied into the project, so it imports only Node.js modules. Every failure refuses the call.
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import type { PluginAnswer, PluginMessage } from './messages.ts'

interface PluginInput {
  readonly directory: string
  readonly client: {
    /** For routes without a method of their own. Absent: this opencode has none. */
    readonly _client?: {
      get(request: { readonly url: string }): Promise<{ readonly data?: unknown }>
      patch(request: {
        readonly url: string
        readonly path: { readonly [name: string]: string }
        readonly body: unknown
        readonly headers: { readonly [name: string]: string }
        readonly throwOnError: true
      }): Promise<unknown>
    }
    readonly session: {
      message(request: {
        readonly path: { readonly id: string; readonly messageID: string }
      }): Promise<{ readonly data?: { readonly parts?: readonly { readonly type: string }[] } }>
      promptAsync(request: {
        readonly path: { readonly id: string }
        readonly body: {
          readonly parts: readonly { readonly type: 'text'; readonly text: string }[]
        }
      }): Promise<unknown>
    }
  }
}

interface Call {
  readonly tool: string
  readonly sessionID: string
  readonly callID: string
}

interface ToolOutput {
  output?: string
  content?: { type: 'text'; text: string }[]
  attachments?: unknown
  readonly metadata?: { readonly exit?: unknown }
}

interface MessagePart {
  readonly id: string
  readonly type: string
  readonly sessionID: string
  readonly messageID: string
  readonly tool?: string
  readonly callID?: string
  readonly state?: {
    readonly status: string
    readonly input?: unknown
    error?: string
    /** If the call was interrupted, the model reads `output` instead of the error. */
    metadata?: { readonly interrupted?: unknown; readonly output?: unknown }
  }
}

interface OpencodeEvent {
  readonly type: string
  readonly properties: {
    readonly sessionID?: string
    readonly info?: { readonly id: string; readonly parentID?: string }
    readonly part?: MessagePart
  }
}

type Without<Message> = Message extends unknown
  ? Omit<Message, 'session' | 'agent' | 'cwd' | 'version'>
  : never

const { env: SETTINGS } = process
/** Long enough for an approval; the daemon's time-out is shorter. */
const TIMEOUT_MS = Number(SETTINGS['SIGNALBOX_HOOK_TIMEOUT_MS'] || 600_000)
/** Number of stops in a row that are refused because the daemon could not be reached. The next one is allowed. */
const MAX_UNASKED = 3
const UNREACHABLE =
  'The Signalbox daemon cannot be reached, so this is refused. Start it with "signalbox daemon"'
const WITHHELD = 'Result withheld: the Signalbox daemon cannot be reached.'

export const Signalbox = async ({ client, directory }: PluginInput) => {
  const parents = new Map<string, string>()
  const denied = new Set<string>()
  /** Calls of this process. The errors of earlier ones are stored as the model may read them. */
  const started = new Set<string>()
  /** Text that the model reads instead of an error, by part; null: the error. */
  const errors = new Map<string, Promise<string | null>>()
  const texts = new Map<string, string>()
  let version: Promise<string | undefined> | undefined
  let unasked = 0
  // `opencode run` ends with the turn, so waiting until the session is idle would be too late.
  const endsWithTurn = process.argv.includes('run')

  const findRootSession = (id: string): string => {
    const parent = parents.get(id)
    return parent === undefined ? id : findRootSession(parent)
  }
  const ask = async (id: string, message: Without<PluginMessage>): Promise<PluginAnswer> => {
    const session = findRootSession(id)
    const agent = session === id ? {} : { agent: id }
    version ??= readVersion(client)
    const told = await version
    const from = {
      session,
      cwd: directory,
      ...agent,
      ...(told === undefined ? {} : { version: told }),
    }
    return post({ ...from, ...message })
  }
  const replaceError = async (part: MessagePart): Promise<string | null> => {
    const { tool = '', callID = '', sessionID, state } = part
    if (state === undefined || denied.has(callID)) return null
    const { input = {}, error = 'The tool failed.', metadata } = state
    const partial = metadata?.interrupted === true ? metadata.output : undefined
    const read = typeof partial === 'string' ? partial : error
    const failed = { kind: 'failed', tool, call_id: callID, args: input, error: read } as const
    const { replaced } = await ask(sessionID, failed).catch(
      (): PluginAnswer => (started.has(callKey(part)) ? { replaced: WITHHELD } : {}),
    )
    if (replaced === undefined) return null
    const text = toText(replaced)
    await storeError(client, part, text)
    return text
  }
  const readError = (part: MessagePart): Promise<string | null> => {
    const asked = errors.get(part.id) ?? replaceError(part)
    errors.set(part.id, asked)
    return asked
  }
  const continueSession = (id: string, text: string) =>
    client.session.promptAsync({ path: { id }, body: { parts: [{ type: 'text', text }] } })
  const askToStop = async (id: string, text: string) => {
    try {
      const { block } = await ask(id, { kind: 'stop', text })
      unasked = 0
      if (block !== undefined) await continueSession(id, block)
    } catch (error) {
      unasked += 1
      if (unasked <= MAX_UNASKED)
        await continueSession(id, `${UNREACHABLE}: ${describeError(error)}.`)
    }
  }

  return {
    'tool.execute.before': async (
      { tool, sessionID, callID }: Call,
      { args }: { args: Record<string, unknown> },
    ) => {
      started.add(callKey({ sessionID, callID }))
      const answer = await ask(sessionID, { kind: 'before', tool, call_id: callID, args }).catch(
        (error: unknown): PluginAnswer => ({ deny: `${UNREACHABLE}: ${describeError(error)}.` }),
      )
      if (answer.deny === undefined) {
        // opencode runs the tool with this object, and ignores another one in its place.
        if (answer.args === undefined) return
        for (const name of Object.keys(args)) delete args[name]
        Object.assign(args, answer.args)
        return
      }
      denied.add(callID)
      throw new Error(answer.deny)
    },
    'tool.execute.after': async (call: Call & { args: unknown }, result: ToolOutput) => {
      const { tool, sessionID, callID, args } = call
      const exit = typeof result.metadata?.exit === 'number' ? result.metadata.exit : null
      const output = result.output ?? result.content ?? null
      const message = { kind: 'after', tool, call_id: callID, args, output, exit } as const
      const { feedback, replaced } = await ask(sessionID, message).catch(
        (): PluginAnswer => ({ replaced: WITHHELD }),
      )
      if (replaced !== undefined) replaceOutput(result, replaced)
      if (feedback === undefined) return
      if (Array.isArray(result.content)) result.content.push({ type: 'text', text: feedback })
      else result.output = [result.output, feedback].filter(Boolean).join('\n\n')
    },
    // Called with the messages of every request to the model, which also reads those of earlier steps.
    'experimental.chat.messages.transform': async (
      _: unknown,
      { messages }: { messages: readonly { readonly parts: readonly MessagePart[] }[] },
    ) => {
      for (const part of messages.flatMap(({ parts }) => parts)) {
        if (part.state?.status !== 'error') continue
        if (!errors.has(part.id) && !started.has(callKey(part))) continue
        const error = await readError(part)
        if (error !== null) hideError(part.state, error)
      }
    },
    'experimental.text.complete': async (
      { sessionID, messageID }: { sessionID: string; messageID: string },
      { text }: { text: string },
    ) => {
      texts.set(sessionID, text)
      if (!endsWithTurn) return
      const { data } = await client.session.message({ path: { id: sessionID, messageID } })
      // A message with calls is not the last one.
      if (data?.parts?.some(({ type }) => type === 'tool') === true) return
      await askToStop(sessionID, text)
    },
    event: async ({ event: { type, properties } }: { event: OpencodeEvent }) => {
      const { info, part, sessionID } = properties
      if (type === 'session.created' && info?.parentID !== undefined) {
        parents.set(info.id, info.parentID)
      }
      if (type === 'session.deleted' && info !== undefined) {
        await ask(info.id, { kind: 'deleted' }).catch(() => undefined)
      }
      if (type === 'session.idle' && sessionID !== undefined && !endsWithTurn) {
        await askToStop(sessionID, texts.get(sessionID) ?? '')
      }
      if (type !== 'message.part.updated' || part?.state?.status !== 'error') return
      await readError(part).catch(() => undefined)
    },
  }
}

const callKey = ({ sessionID, callID = '' }: { sessionID: string; callID?: string }) =>
  `${sessionID}/${callID}`

function replaceOutput(result: ToolOutput, value: unknown): void {
  // Attachments repeat the content in another form.
  delete result.attachments
  if (result.content === undefined) result.output = toText(value)
  else result.content = Array.isArray(value) ? value : [{ type: 'text', text: toText(value) }]
}

function hideError(state: NonNullable<MessagePart['state']>, error: string): void {
  state.error = error
  delete state.metadata
}

/** Another process that continues the session reads the error from opencode's store. Rejects if it cannot be stored. */
async function storeError(
  { _client }: PluginInput['client'],
  part: MessagePart,
  error: string,
): Promise<void> {
  const { id: partID, messageID, sessionID } = part
  const state = { ...part.state, status: 'error' }
  hideError(state, error)
  if (_client === undefined) throw new Error('opencode has no client for its store')
  await _client.patch({
    url: '/session/{sessionID}/message/{messageID}/part/{partID}',
    path: { sessionID, messageID, partID },
    body: { ...part, state },
    headers: { 'content-type': 'application/json' },
    throwOnError: true,
  })
}

/** undefined: opencode does not report it. */
async function readVersion({ _client }: PluginInput['client']): Promise<string | undefined> {
  const asked = _client?.get({ url: '/global/health' })
  const { data } = (await asked?.catch(() => undefined)) ?? {}
  if (typeof data !== 'object' || data === null || !('version' in data)) return undefined
  return typeof data.version === 'string' ? data.version : undefined
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function socketPath(): string {
  const { SIGNALBOX_SOCKET: chosen, XDG_STATE_HOME: state } = SETTINGS
  return (
    chosen || path.join(state || path.join(os.homedir(), '.local/state'), 'signalbox/daemon.sock')
  )
}

/** Rejects unless the daemon answered. */
function post(message: PluginMessage): Promise<PluginAnswer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        socketPath: socketPath(),
        path: '/hook/opencode',
        method: 'POST',
        headers: { 'content-type': 'application/json', host: 'localhost' },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          try {
            if (response.statusCode !== 200) throw new Error(`it answered ${response.statusCode}`)
            const answer: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
            if (typeof answer !== 'object' || answer === null) throw new Error('it gave no answer')
            resolve(answer)
          } catch (error) {
            reject(error)
          }
        })
      },
    )
    // The JavaScript runtime of opencode ignores the request's own time-out on a socket.
    const late = new Error('it did not answer in time')
    const timer = setTimeout(() => {
      reject(late)
      request.destroy()
    }, TIMEOUT_MS)
    request.on('close', () => clearTimeout(timer))
    request.on('error', reject)
    request.end(JSON.stringify(message))
  })
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

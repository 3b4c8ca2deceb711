// Checks each answer against its schema, returns a refusal as a value, and never shows the key in a message.
import { type ConfigProblem, ProblemV1, ReleaseProblem } from '@signalbox/wire'
import { Unusable } from '../base/io.ts'

export interface RemoteSettings {
  /** Without a trailing slash. */
  readonly url: string
  readonly key: string
}

export interface Refused {
  readonly status: number
  readonly detail: string
  readonly gates: readonly { readonly gate: string; readonly detail: string }[]
  readonly problems: readonly ConfigProblem[]
}

export type Answered<Value> =
  | { readonly ok: true; readonly value: Value; readonly etag: string | null }
  | { readonly ok: false; readonly refused: Refused }

interface AnswerSchema<Value> {
  safeParse(input: unknown):
    | { readonly success: true; readonly data: Value }
    | {
        readonly success: false
        readonly error: { readonly issues: readonly { readonly path: readonly PropertyKey[] }[] }
      }
}

interface Ask<Value> {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly schema: AnswerSchema<Value>
}

const TIMEOUT_MS = 60_000
/** Not found, already taken, changed meanwhile, or a gate is missing. Every other error status ends the command. */
const REFUSALS = [404, 409, 412]

/** Throws Unusable with the missing setting. */
export function remoteSettings(
  options: { readonly url?: string },
  env: { readonly [name: string]: string | undefined },
): RemoteSettings {
  const url = options.url ?? env['SIGNALBOX_URL']
  const key = env['SIGNALBOX_API_KEY']
  if (!url) throw new Unusable('Specify the control plane with --url or SIGNALBOX_URL.')
  if (!/^https?:\/\/[^/?#\s]+/.test(url)) {
    throw new Unusable('SIGNALBOX_URL must be an address such as https://signalbox.example.com.')
  }
  if (!key) {
    throw new Unusable(
      'Set SIGNALBOX_API_KEY to an API key from the console (Settings, API keys). "--help" names its scopes.',
    )
  }
  return { url: url.replace(/\/+$/, ''), key }
}

/** Throws Unusable when the address or the key is missing. */
export function connect(
  options: { readonly url?: string },
  env: { readonly [name: string]: string | undefined },
): ControlPlane {
  return new ControlPlane(remoteSettings(options, env))
}

export class ControlPlane {
  readonly #settings: RemoteSettings

  constructor(settings: RemoteSettings) {
    this.#settings = settings
  }

  /** Throws Unusable when there is no answer, or one that a retry of the same command cannot change. */
  async ask<Value>(ask: Ask<Value>): Promise<Answered<Value>> {
    const response = await this.#send(ask)
    const body = response.status === 204 ? undefined : await this.#json(response)
    if (response.ok) {
      const parsed = ask.schema.safeParse(body)
      if (!parsed.success) {
        const issue = parsed.error.issues[0]
        const where = issue?.path.join('/') ?? ''
        throw new Unusable(`${this.#settings.url} sent an unexpected response (${where}).`)
      }
      return { ok: true, value: parsed.data, etag: response.headers.get('etag') }
    }
    const refused = this.#parseRefusal(response.status, body)
    if (REFUSALS.includes(response.status)) return { ok: false, refused }
    throw new Unusable(`${ask.method ?? 'GET'} ${ask.path}: ${refused.detail}`)
  }

  /** Like `ask`, but a refusal also ends the command. */
  async need<Value>(ask: Ask<Value>): Promise<Value> {
    const answered = await this.ask(ask)
    if (answered.ok) return answered.value
    throw new Unusable(answered.refused.detail)
  }

  async #send({ method = 'GET', path, body, headers }: Ask<unknown>): Promise<Response> {
    const { url, key } = this.#settings
    try {
      return await fetch(`${url}/api/manage/v1${path}`, {
        method,
        // A redirect would send the key to its target.
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new Unusable(`${url} does not answer: ${why}`)
    }
  }

  async #json(response: Response): Promise<unknown> {
    const text = await response.text()
    try {
      return JSON.parse(text)
    } catch {
      throw new Unusable(
        `${this.#settings.url} responded with ${response.status} and no JSON. Is it a Signalbox server?`,
      )
    }
  }

  #parseRefusal(status: number, body: unknown): Refused {
    const parsed = ReleaseProblem.safeParse(body)
    const known = parsed.success ? parsed.data : ProblemV1.safeParse(body).data
    const errors = known?.errors ?? []
    const told = known?.detail ?? `The server responded with ${status}.`
    const named = errors.map(({ pointer = '', detail: why }) => `${pointer}: ${why}`)
    // An error of one field is the detail itself.
    const detail = errors.some(({ detail: why }) => why === told)
      ? named.join(' ')
      : [told, ...named].join(' ')
    const { gates = [], problems = [] } = parsed.success ? parsed.data : {}
    return { status, detail, gates, problems }
  }
}

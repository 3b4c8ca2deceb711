import {
  type GuardrailSource,
  resolveGuardrailSource,
  type SourceOptions,
} from './base/guardrail-source.ts'
import { Unusable } from './base/io.ts'
import type { Surroundings } from './base/surroundings.ts'
import { daemonPaths } from './daemon/daemon-paths.ts'

export interface McpProxyOptions extends SourceOptions {
  readonly upstream?: string
  readonly header: readonly string[]
  readonly http?: string
  readonly daemon: boolean
  readonly socket?: string
  readonly session?: string
}

export type Behind =
  | { readonly kind: 'process'; readonly program: string; readonly args: readonly string[] }
  | {
      readonly kind: 'url'
      readonly url: URL
      readonly headers: { readonly [name: string]: string }
    }

export interface McpProxySettings {
  readonly behind: Behind
  /** Port for HTTP clients on 127.0.0.1; null: the client uses standard input and output. */
  readonly port: number | null
  /** `session` null: the session of the parent process, or one per HTTP client. */
  readonly judge:
    | { readonly kind: 'own'; readonly source: GuardrailSource }
    | { readonly kind: 'daemon'; readonly socket: string; readonly session: string | null }
}

/** Throws Unusable with the missing or invalid setting. */
export function mcpProxySettings(
  command: readonly string[],
  options: McpProxyOptions,
  around: Surroundings,
): McpProxySettings {
  return {
    behind: resolveUpstream(command, options, around),
    port: options.http === undefined ? null : parseProxyPort(options.http),
    judge: resolveJudge(options, around),
  }
}

function resolveUpstream(
  [program, ...args]: readonly string[],
  { upstream, header }: McpProxyOptions,
  { env }: Surroundings,
): Behind {
  if ((program === undefined) === (upstream === undefined))
    throw new Unusable(
      'Specify the MCP server: its command after --, or its address with --upstream <url>.',
    )
  if (program !== undefined) {
    if (header.length > 0) throw new Unusable('--header works only with --upstream.')
    return { kind: 'process', program, args }
  }
  const url = URL.canParse(upstream ?? '') ? new URL(upstream ?? '') : null
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new Unusable(
      `The upstream "${upstream}" is not a valid address. It must begin with http:// or https://.`,
    )
  return {
    kind: 'url',
    url,
    headers: Object.fromEntries(header.map((each) => parseUpstreamHeader(each, env))),
  }
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \t]*(.*)$/
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** Other users can see the command line, so a secret is written as ${NAME} and read from the environment. */
function parseUpstreamHeader(text: string, env: Surroundings['env']): readonly [string, string] {
  const [, name, value] = HEADER.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new Unusable(`A --header has the form "name: value"; use \${NAME} in it for a secret.`)
  const filled = value.replace(VARIABLE, (_, variable: string) => {
    const known = env[variable]
    if (!known) throw new Unusable(`The header ${name} needs the environment variable ${variable}.`)
    return known
  })
  return [name, filled]
}

function resolveJudge(options: McpProxyOptions, around: Surroundings): McpProxySettings['judge'] {
  const { daemon, config, prompt, socket, session } = options
  if (!daemon) {
    if (socket !== undefined || session !== undefined)
      throw new Unusable('--socket and --session work only with --daemon.')
    return { kind: 'own', source: resolveGuardrailSource(options, around) }
  }
  if (config !== undefined || prompt !== undefined)
    throw new Unusable(
      'With --daemon, the rules of the daemon apply. Remove the other rule options.',
    )
  return {
    kind: 'daemon',
    socket: daemonPaths(socket ?? null, around).socket,
    session: session ?? null,
  }
}

function parseProxyPort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new Unusable(`The port "${text}" is invalid: use a number up to 65535.`)
}

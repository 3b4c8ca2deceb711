// Settings of a daemon: command-line options override the environment.

import {
  type GuardrailSource,
  resolveGuardrailSource,
  type SourceOptions,
} from '../base/guardrail-source.ts'
import { Unusable } from '../base/io.ts'
import type { Surroundings } from '../base/surroundings.ts'
import { type AgentOptions, type AgentSettings, agentSettings } from './agent-settings.ts'
import { type DaemonPaths, daemonPaths } from './daemon-paths.ts'

export interface DaemonOptions extends Omit<SourceOptions, 'prompt' | 'config'>, AgentOptions {
  readonly prompt?: readonly string[]
  readonly config?: readonly string[]
  readonly socket?: string
  readonly port?: string
  readonly idleHours: string
}

export interface DaemonSettings {
  readonly paths: DaemonPaths
  /** null: no TCP. */
  readonly port: number | null
  readonly idleMs: number
  /** One per prompt; the hooks are those of the first. */
  readonly sources: readonly [GuardrailSource, ...GuardrailSource[]]
  readonly agents: AgentSettings
}

const DEFAULT_PORT = '7467'

/** `init` writes it into HTTP hooks. The option, else SIGNALBOX_DAEMON_PORT, else 7467. */
export function daemonPort(typed: string | undefined, { env }: Pick<Surroundings, 'env'>): string {
  return typed ?? env['SIGNALBOX_DAEMON_PORT'] ?? DEFAULT_PORT
}

/** Throws Unusable with the missing or invalid setting. */
export function daemonSettings(options: DaemonOptions, around: Surroundings): DaemonSettings {
  const paths = daemonPaths(options.socket ?? null, around)
  const isElsewhere = options.socket !== undefined || Boolean(around.env['SIGNALBOX_SOCKET'])
  return {
    paths,
    port: parseDaemonPort(daemonPort(options.port, around)),
    idleMs: parseHours(options.idleHours) * 3_600_000,
    sources: resolveSources(options, around),
    agents: agentSettings(options, { paths, isElsewhere }, around),
  }
}

function resolveSources(
  { prompt: prompts = [], config: configs = [], ...shared }: DaemonOptions,
  around: Surroundings,
): DaemonSettings['sources'] {
  const given =
    configs.length > 0
      ? configs.map((config) => ({ config }))
      : prompts.map((prompt) => ({ prompt }))
  const [first = {}, ...rest] = given
  const resolve = (each: { readonly config?: string; readonly prompt?: string }) =>
    resolveGuardrailSource({ ...shared, ...each }, around)
  return [resolve(first), ...rest.map(resolve)]
}

function parseDaemonPort(text: string): number | null {
  if (text === 'off') return null
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new Unusable(`The port "${text}" is invalid: use a number up to 65535, or off.`)
}

function parseHours(text: string): number {
  const hours = Number(text)
  if (text !== '' && hours > 0 && hours <= 8760) return hours
  throw new Unusable(
    `The idle time "${text}" is invalid: use a number of hours, more than 0 and at most 8760.`,
  )
}

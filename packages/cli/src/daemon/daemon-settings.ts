// Settings of a daemon: command-line options override the environment.

import {
  type GuardrailSource,
  resolveGuardrailSource,
  type SourceOptions,
} from '../guardrail-source.ts'
import { Unusable } from '../io.ts'
import type { Surroundings } from '../surroundings.ts'
import { type DaemonPaths, daemonPaths } from './daemon-paths.ts'

export interface DaemonOptions extends SourceOptions {
  readonly socket?: string
  readonly port?: string
  readonly idleHours: string
}

export interface DaemonSettings {
  readonly paths: DaemonPaths
  /** null: no TCP. */
  readonly port: number | null
  readonly idleMs: number
  readonly source: GuardrailSource
}

const DEFAULT_PORT = '7467'

/** `init` writes it into HTTP hooks. The option, else SIGNALBOX_DAEMON_PORT, else 7467. */
export function daemonPort(typed: string | undefined, { env }: Pick<Surroundings, 'env'>): string {
  return typed ?? env['SIGNALBOX_DAEMON_PORT'] ?? DEFAULT_PORT
}

/** Throws Unusable with the missing or invalid setting. */
export function daemonSettings(options: DaemonOptions, around: Surroundings): DaemonSettings {
  return {
    paths: daemonPaths(options.socket ?? null, around),
    port: parseDaemonPort(daemonPort(options.port, around)),
    idleMs: parseHours(options.idleHours) * 3_600_000,
    source: resolveGuardrailSource(options, around),
  }
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

// What a daemon is started with: options of the command line, then the environment.

import { Unusable } from '../io.ts'
import type { Surroundings } from '../surroundings.ts'
import { type DaemonPaths, daemonPaths } from './daemon-paths.ts'

/** As commander gives them. */
export interface DaemonOptions {
  readonly prompt?: string
  readonly url?: string
  readonly apiKey?: string
  readonly config?: string
  readonly events?: string
  readonly socket?: string
  readonly port: string
  readonly idleHours: string
}

/** Where the config comes from, and where the events go. */
export type GuardrailSource =
  | {
      readonly kind: 'control_plane'
      readonly url: string
      readonly apiKey: string
      readonly prompt: string
    }
  /** `events`: a file that every event is appended to; null: none. */
  | { readonly kind: 'file'; readonly config: string; readonly events: string | null }

export interface DaemonSettings {
  readonly paths: DaemonPaths
  /** null: no TCP. */
  readonly port: number | null
  readonly idleMs: number
  readonly source: GuardrailSource
}

const NO_SOURCE =
  'The daemon needs rules: give --config <file>, or --prompt <ns/key> with --url and SIGNALBOX_API_KEY.'
/** Nothing of ours; the port that hooks which speak HTTP are set to by `init`. */
export const DEFAULT_PORT = '7467'

/** Throws Unusable with what is missing. */
export function daemonSettings(options: DaemonOptions, around: Surroundings): DaemonSettings {
  return {
    paths: daemonPaths(options.socket ?? null, around),
    port: portOf(options.port),
    idleMs: hoursOf(options.idleHours) * 3_600_000,
    source: sourceOf(options, around),
  }
}

function sourceOf(options: DaemonOptions, { env }: Surroundings): GuardrailSource {
  if (options.config !== undefined)
    return { kind: 'file', config: options.config, events: options.events ?? null }
  const url = options.url ?? env['SIGNALBOX_URL']
  const apiKey = options.apiKey ?? env['SIGNALBOX_API_KEY']
  const prompt = options.prompt ?? env['SIGNALBOX_PROMPT']
  if (!url && !apiKey && !prompt) throw new Unusable(NO_SOURCE)
  if (!url) throw missing('--url', 'SIGNALBOX_URL')
  if (!apiKey) throw missing('--api-key', 'SIGNALBOX_API_KEY')
  if (!prompt) throw missing('--prompt', 'SIGNALBOX_PROMPT')
  return { kind: 'control_plane', url, apiKey, prompt }
}

function missing(option: string, variable: string): Unusable {
  return new Unusable(`The daemon needs ${option} or ${variable}.`)
}

function portOf(text: string): number | null {
  if (text === 'off') return null
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new Unusable(`The port "${text}" is not one: give a number up to 65535, or off.`)
}

function hoursOf(text: string): number {
  const hours = Number(text)
  if (text !== '' && hours > 0 && hours <= 8760) return hours
  throw new Unusable(
    `The idle time "${text}" is not one: give hours, more than 0 and at most 8760.`,
  )
}

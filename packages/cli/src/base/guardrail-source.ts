// Command-line options override the environment.
import fs from 'node:fs'
import { celExpressions } from '@signalbox/core/expression'
import { createGuardrails, type Guardrails, type OnDiagnostic } from '@signalbox/runtime'
import { parseConfigText } from '@signalbox/wire'
import type { Command } from 'commander'
import { problemLine } from './config-file.ts'
import { type Io, Unusable } from './io.ts'
import type { Surroundings } from './surroundings.ts'

export interface SourceOptions {
  readonly prompt?: string
  readonly url?: string
  readonly apiKey?: string
  readonly config?: string
  readonly events?: string
}

export type GuardrailSource =
  | {
      readonly kind: 'control_plane'
      readonly url: string
      readonly apiKey: string
      readonly prompt: string
    }
  /** `events`: file to which every event is appended; null: none. */
  | { readonly kind: 'file'; readonly config: string; readonly events: string | null }

const NO_SOURCE =
  'No rules are specified: use --config <file>, or --prompt <ns/key> with --url and SIGNALBOX_API_KEY.'

const PROMPT = ['--prompt <ns/key>', 'Prompt whose rules apply (env: SIGNALBOX_PROMPT)'] as const
const CONFIG = ['--config <file>', 'File with the rules, instead of a control plane'] as const

const NO_EVENTS =
  '--events works only with --config. Without it, events go to the control plane: remove --events.'

export function withSource(command: Command): Command {
  return withPlace(command.option(...PROMPT).option(...CONFIG))
}

/** Like `withSource`, for any number of prompts: the options have lists of values. */
export function withSources(command: Command): Command {
  const [[prompt, promptText], [config, configText]] = [PROMPT, CONFIG]
  return withPlace(
    command
      .option(prompt, `${promptText}; repeatable`, addValue)
      .option(config, `${configText}; repeatable`, addValue),
  )
}

function withPlace(command: Command): Command {
  return command
    .option('--url <url>', 'Address of the control plane (env: SIGNALBOX_URL)')
    .option('--api-key <key>', 'API key (env: SIGNALBOX_API_KEY, which other users cannot see)')
    .option('--events <file>', 'File to append every event to, for --config')
}

/** Collects the values of a repeatable option. */
export function addValue(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** Throws Unusable with the missing setting. */
export function resolveGuardrailSource(
  options: SourceOptions,
  { env }: Pick<Surroundings, 'env'>,
): GuardrailSource {
  if (options.config !== undefined)
    return { kind: 'file', config: options.config, events: options.events ?? null }
  if (options.events !== undefined) throw new Unusable(NO_EVENTS)
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
  return new Unusable(`Without --config, ${option} or ${variable} is required.`)
}

/** `name`: name of this process as a runtime in the control plane. Throws Unusable when the source cannot be used. */
export async function openGuardrails(
  source: GuardrailSource,
  { io, name, report }: { readonly io: Io; readonly name: string; readonly report: OnDiagnostic },
): Promise<{ readonly guardrails: Guardrails; readonly prompt: string }> {
  if (source.kind === 'control_plane') {
    const { url, apiKey, prompt } = source
    const harness = { name }
    return { guardrails: made({ url, apiKey, prompt, harness, onDiagnostic: report }), prompt }
  }
  const parsed = parseConfigText(await io.readText(source.config))
  if (!parsed.ok) {
    const [first] = parsed.problems
    const why = first === undefined ? 'unknown problem' : problemLine(first)
    throw new Unusable(`${source.config} is not a usable config: ${why}`)
  }
  const { document } = parsed
  const { events } = source
  const onEvent =
    events === null
      ? undefined
      : (line: string) => fs.appendFileSync(events, `${line}\n`, { mode: 0o600 })
  const guardrails = made({
    config: document,
    onDiagnostic: report,
    ...(onEvent === undefined ? {} : { onEvent }),
  })
  return { guardrails, prompt: `${document.ns}/${document.key}` }
}

/** Throws Unusable with the runtime's own message. */
function made(options: Parameters<typeof createGuardrails>[0]): Guardrails {
  try {
    // Passes the expressions directly: rules apply and sessions continue before a module could be loaded.
    return createGuardrails({ ...options, expressions: celExpressions() })
  } catch (error) {
    throw new Unusable(error instanceof Error ? error.message : String(error))
  }
}

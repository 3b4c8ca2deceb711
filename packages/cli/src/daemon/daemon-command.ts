// signalbox daemon: runs until it is told to stop.
import { once } from 'node:events'
import fs from 'node:fs'
import { createGuardrails, type Guardrails, type OnDiagnostic } from '@signalbox/runtime'
import { parseConfigText } from '@signalbox/wire'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { problemLine } from '../config-file.ts'
import { EXIT, Unusable } from '../io.ts'
import { printable } from '../printable.ts'
import { startDaemon } from './daemon.ts'
import {
  type DaemonOptions,
  DEFAULT_PORT,
  daemonSettings,
  type GuardrailSource,
} from './daemon-settings.ts'

export function addDaemon(program: Command, context: CommandContext): void {
  program
    .command('daemon')
    .description('enforce the guardrails of one prompt for the harnesses on this machine')
    .option('--prompt <ns/key>', 'whose rules hold; or SIGNALBOX_PROMPT')
    .option('--url <url>', 'of the control plane; or SIGNALBOX_URL')
    .option('--api-key <key>', 'better given as SIGNALBOX_API_KEY, which other users cannot see')
    .option('--config <file>', 'rules from a file, without a control plane')
    .option('--events <file>', 'with --config: append every event to this file')
    .option('--socket <path>', 'in a folder of yours alone; or SIGNALBOX_SOCKET')
    .option(
      '--port <number>',
      'on 127.0.0.1, for hooks that speak HTTP; off for none',
      DEFAULT_PORT,
    )
    .option('--idle-hours <hours>', 'after which a session without a hook is over', '12')
    .action(async (options: DaemonOptions) => context.done(await runDaemon(options, context)))
}

async function runDaemon(options: DaemonOptions, { io, around }: CommandContext): Promise<number> {
  const settings = daemonSettings(options, around)
  const stopped = around.stopSignal()
  const report: OnDiagnostic = ({ level, code, message }) =>
    io.err(printable(`${level}  ${code}  ${message}`))
  const { guardrails, prompt } = await guardrailsOf(settings.source, { io, report })
  const daemon = await startDaemon({ ...settings, guardrails, prompt, report }).catch(
    async (error: unknown) => {
      await guardrails.close(0)
      throw error
    },
  )
  const { paths } = settings
  io.err(`signalbox daemon: ${prompt} on ${paths.socket}${portWords(daemon.port)}`)
  if (!stopped.aborted) await once(stopped, 'abort')
  await daemon.close()
  return EXIT.clean
}

function portWords(port: number | null): string {
  return port === null ? '' : ` and http://127.0.0.1:${port}`
}

async function guardrailsOf(
  source: GuardrailSource,
  { io, report }: Pick<CommandContext, 'io'> & { readonly report: OnDiagnostic },
): Promise<{ readonly guardrails: Guardrails; readonly prompt: string }> {
  if (source.kind === 'control_plane') {
    const { url, apiKey, prompt } = source
    const harness = { name: 'daemon' }
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

/** Throws Unusable in the words of the runtime. */
function made(options: Parameters<typeof createGuardrails>[0]): Guardrails {
  try {
    return createGuardrails(options)
  } catch (error) {
    throw new Unusable(error instanceof Error ? error.message : String(error))
  }
}

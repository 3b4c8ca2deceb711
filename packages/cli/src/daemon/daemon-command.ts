import { once } from 'node:events'
import type { OnDiagnostic } from '@signalbox/runtime'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { openGuardrails, withSource } from '../guardrail-source.ts'
import { EXIT } from '../io.ts'
import { printable } from '../printable.ts'
import { startDaemon } from './daemon.ts'
import { type DaemonOptions, daemonSettings } from './daemon-settings.ts'

export function addDaemon(program: Command, context: CommandContext): void {
  const command = program
    .command('daemon')
    .description('Enforce the guardrails of one prompt for the harnesses on this machine')
  withSource(command)
    .option(
      '--socket <path>',
      'Socket path, in a folder that only you can open (env: SIGNALBOX_SOCKET)',
    )
    .option(
      '--port <number>',
      'Port on 127.0.0.1 for HTTP hooks, or "off" (env: SIGNALBOX_DAEMON_PORT; default: 7467)',
    )
    .option('--idle-hours <hours>', 'Hours without a hook after which a session ends', '12')
    .action(async (options: DaemonOptions) => context.done(await runDaemon(options, context)))
}

async function runDaemon(options: DaemonOptions, { io, around }: CommandContext): Promise<number> {
  const settings = daemonSettings(options, around)
  const stopped = around.stopSignal()
  const report: OnDiagnostic = ({ level, code, message }) =>
    io.err(printable(`${level}  ${code}  ${message}`))
  const { guardrails, prompt } = await openGuardrails(settings.source, {
    io,
    name: 'daemon',
    report,
  })
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

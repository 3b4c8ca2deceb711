import { once } from 'node:events'
import type { Guardrails, OnDiagnostic } from '@signalbox/runtime'
import type { Command } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import {
  addValue,
  type GuardrailSource,
  openGuardrails,
  withSources,
} from '../base/guardrail-source.ts'
import { EXIT, type Io, Unusable } from '../base/io.ts'
import { printable } from '../base/printable.ts'
import { describeRules } from '../base/rules-in-force.ts'
import { startAgents } from './agents.ts'
import { startDaemon } from './daemon.ts'
import { type DaemonOptions, type DaemonSettings, daemonSettings } from './daemon-settings.ts'

export function addDaemon(program: Command, context: CommandContext): void {
  const command = program
    .command('daemon')
    .description(
      'Enforce guardrails for the harnesses on this machine, and for agents in any language',
    )
  withSources(command)
    .option(
      '--socket <path>',
      'Socket path, in a folder that only you can open (env: SIGNALBOX_SOCKET)',
    )
    .option(
      '--port <number>',
      'Port on 127.0.0.1 for HTTP hooks, or "off" (env: SIGNALBOX_DAEMON_PORT; default: 7467)',
    )
    .option('--idle-hours <hours>', 'Hours without a request after which a session ends', '12')
    .option(
      '--agent-socket <path>',
      'Socket for agents, in a folder that only you can open (env: SIGNALBOX_AGENT_SOCKET)',
    )
    .option('--listen <host:port>', 'Address for agents over TCP, which need a token')
    .option(
      '--token-file <file[=ns/key,...]>',
      'Token for TCP and the prompts that it may open (default: agent.token beside the socket, for all); repeatable',
      addValue,
    )
    .option('--tls-cert <file>', 'Certificate for --listen, in PEM')
    .option('--tls-key <file>', 'Key of the certificate, in PEM')
    .option('--behind-tls', 'Something in front of the daemon ends TLS for --listen')
    .option(
      '--root <folder>',
      'Folder below which the workspaces of agents lie (default: the current folder); repeatable',
      addValue,
    )
    .option('--max-sessions <number>', 'Sessions of agents at a time', '1000')
    .action(async (options: DaemonOptions) => context.done(await runDaemon(options, context)))
}

async function runDaemon(options: DaemonOptions, { io, around }: CommandContext): Promise<number> {
  const settings = daemonSettings(options, around)
  const stopped = around.stopSignal()
  const report: OnDiagnostic = ({ level, code, message }) =>
    io.err(printable(`${level}  ${code}  ${message}`))
  const opened = await openAll(settings.sources, { io, report })
  const [first, ...others] = opened
  const closeAll = (each: readonly Opened[], withinMs?: number) =>
    Promise.all(each.map(({ guardrails }) => guardrails.close(withinMs)))
  const daemon = await startDaemon({ ...settings, ...first, report }).catch(
    async (error: unknown) => {
      await closeAll(opened, 0)
      throw error
    },
  )
  const { idleMs, paths } = settings
  const prompts = new Map(opened.map(({ prompt, ...served }) => [prompt, served]))
  const agents = await startAgents({ ...settings.agents, prompts, idleMs, report }).catch(
    async (error: unknown) => {
      await daemon.close()
      await closeAll(others, 0)
      throw error
    },
  )
  const { socket } = settings.agents.paths
  const also = agents.address === null ? '' : ` and ${agents.address}`
  io.err(`signalbox daemon: agents of ${[...prompts.keys()].join(', ')} on ${socket}${also}`)
  io.err(`signalbox daemon: ${first.prompt} on ${paths.socket}${portWords(daemon.port)}`)
  const stopTelling = tellRules(opened, io)
  if (!stopped.aborted) await once(stopped, 'abort')
  stopTelling()
  io.err('signalbox daemon: Stopping.')
  await agents.close()
  await Promise.all([daemon.close(), closeAll(others)])
  io.err('signalbox daemon: Stopped.')
  return EXIT.clean
}

const TELL_MS = 1000

/** Prints which rules apply, at first and whenever that changes. */
function tellRules(opened: readonly Opened[], io: Io): () => void {
  const told = new Map<string, string>()
  const tell = (): void => {
    for (const { guardrails, prompt } of opened) {
      const status = guardrails.status()
      const { sentence } = describeRules(status, prompt)
      if (status?.state === 'starting' || told.get(prompt) === sentence) continue
      told.set(prompt, sentence)
      io.err(printable(`signalbox daemon: ${sentence}`))
    }
  }
  tell()
  const timer = setInterval(tell, TELL_MS)
  return () => clearInterval(timer)
}

interface Opened {
  readonly prompt: string
  readonly guardrails: Guardrails
  readonly url: string | null
}

async function openAll(
  [first, ...rest]: DaemonSettings['sources'],
  parts: { readonly io: Io; readonly report: OnDiagnostic },
): Promise<readonly [Opened, ...Opened[]]> {
  const open = async (source: GuardrailSource): Promise<Opened> => ({
    ...(await openGuardrails(source, { ...parts, name: 'daemon' })),
    url: source.kind === 'file' ? null : source.url,
  })
  const opened = [await open(first), ...(await Promise.all(rest.map(open)))] as const
  const names = new Set(opened.map(({ prompt }) => prompt))
  if (names.size === opened.length) return opened
  await Promise.all(opened.map(({ guardrails }) => guardrails.close(0)))
  throw new Unusable('A prompt is given twice.')
}

function portWords(port: number | null): string {
  return port === null ? '' : ` and http://127.0.0.1:${port}`
}

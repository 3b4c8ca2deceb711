// Experimental. Standard output carries only the protocol; all other output goes to standard error.
import process from 'node:process'
import { type AcpEnd, type AcpProxy, acpProfile, startAcpProxy } from '@signalbox/adapters/acp'
import type { OnDiagnostic } from '@signalbox/runtime'
import { HarnessSession } from '@signalbox/runtime/harness'
import type { Command } from 'commander'
import type { CommandContext } from './base/command-context.ts'
import {
  openGuardrails,
  resolveGuardrailSource,
  type SourceOptions,
  withSource,
} from './base/guardrail-source.ts'
import { EXIT, Unusable } from './base/io.ts'
import { printable } from './base/printable.ts'
import { childEnvironment, childLines } from './child-lines.ts'
import { ownStreams } from './json-lines.ts'

export function addAcpProxy(program: Command, context: CommandContext): void {
  const command = program
    .command('acp-proxy')
    .description('Enforce guardrails between an editor and an agent over ACP (experimental)')
    .argument('<command...>', 'Command that starts the agent, after --')
  withSource(command).action(async (words: readonly string[], options: SourceOptions) =>
    context.done(await runAcpProxy(words, options, context)),
  )
}

const FLUSH_MS = 1000

async function runAcpProxy(
  [agentProgram = '', ...args]: readonly string[],
  options: SourceOptions,
  { io, around }: CommandContext,
): Promise<number> {
  const { cwd, env } = around
  const stopped = around.stopSignal()
  const report: OnDiagnostic = ({ level, code, message }) =>
    io.err(printable(`${level}  ${code}  ${message}`))
  const source = resolveGuardrailSource(options, around)
  const { guardrails } = await openGuardrails(source, { io, name: 'acp-proxy', report })
  const client = ownStreams(process)
  const agent = childLines({ program: agentProgram, args, cwd, env: childEnvironment(env) })
  try {
    const proxy = await startAcpProxy({
      // Two packages declare the same JSON-RPC messages.
      client: client as AcpEnd,
      agent: agent as AcpEnd,
      open: async ({ cwd: workspaceRoot, agentVersion, id }) => {
        await guardrails.ready()
        const tags = { 'acp.session': id.slice(0, 1000) }
        const profile = acpProfile(agentVersion)
        return HarnessSession.open(guardrails, profile, { workspaceRoot, tags })
      },
      cwd,
      onDiagnostic: report,
    }).catch((error: unknown) => {
      const why = error instanceof Error && 'code' in error ? String(error.code) : String(error)
      throw new Unusable(`The agent ${agentProgram} cannot be started: ${why}.`)
    })
    await untilClosed(proxy, stopped)
  } finally {
    await guardrails.close(FLUSH_MS)
  }
  if (client.hasEnded || stopped.aborted) return EXIT.clean
  io.err('The agent exited before its editor did.')
  return EXIT.findings
}

async function untilClosed(proxy: AcpProxy, stopped: AbortSignal): Promise<void> {
  const stop = () => void proxy.close()
  if (stopped.aborted) stop()
  else stopped.addEventListener('abort', stop)
  await proxy.closed
}

// Answers a call that waits for approval, as the console does: about the arguments that were shown.
import { ManagedRow } from '@signalbox/wire'
import type { Command } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { EXIT, formatHelpSection, Unusable } from '../base/io.ts'
import { printable } from '../base/printable.ts'
import { type ControlPlane, connect } from './control-plane.ts'

interface Asked {
  readonly url?: string
  readonly note?: string
  /** Absent: it is read first, and the call is printed. */
  readonly input?: string
}

async function readInput(plane: ControlPlane, { io }: CommandContext, address: string) {
  const call = await plane.need({ path: address, schema: ManagedRow })
  const { tool, args, input } = call
  io.err(`${printable(String(tool))} ${printable(JSON.stringify(args))}`)
  if (typeof input === 'string') return input
  throw new Unusable('The arguments of this call are not stored, so it cannot be answered.')
}

export function addAnswers(group: Command, context: CommandContext): void {
  const { io, around, done } = context
  for (const [verb, decision] of [
    ['approve', 'approved'],
    ['deny', 'denied'],
  ] as const) {
    group
      .command(verb)
      .description(`${verb === 'approve' ? 'Approve' : 'Deny'} a call that waits`)
      .argument('<id>', 'Id of the call approval')
      .option('--note <text>', 'Recorded with the answer; the agent reads that of a denial')
      .option(
        '--input <digest>',
        'Digest of the arguments that were reviewed; without it, they are read and printed',
      )
      .option('--url <url>', 'Address of the control plane (env: SIGNALBOX_URL)')
      .addHelpText(
        'after',
        formatHelpSection('Environment variables', {
          SIGNALBOX_API_KEY:
            'API key with the scope approvals:answer, and without --input also sessions:read',
        }),
      )
      .action(async (id: string, options: Asked) => {
        const plane = connect(options, around.env)
        const address = `/approvals/${encodeURIComponent(id)}`
        const input = options.input ?? (await readInput(plane, context, address))
        await plane.need({
          method: 'POST',
          path: `${address}/answer`,
          body: { decision, input, note: options.note ?? null },
          schema: ManagedRow,
        })
        io.out(`${id} ${decision}`)
        done(EXIT.clean)
      })
  }
}

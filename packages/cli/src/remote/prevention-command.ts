// The smallest change that would have refused one call or stop, found by the control plane in its good sessions (specs/prevention.md).
import { ManagedPrevention, ManagedRow } from '@signalbox/wire'
import type { Command } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { EXIT, formatExitCodes, type Io } from '../base/io.ts'
import { printable } from '../base/printable.ts'
import { type ControlPlane, connect } from './control-plane.ts'
import { parseSeq } from './options.ts'
import { connectTo } from './table.ts'
import { waitForSearch } from './wait.ts'

const POLL_MS = 300

interface Asked {
  readonly url?: string
  readonly json: boolean
  readonly at: number
  /** Absent: the draft does not change. */
  readonly take?: number
  readonly shadow: boolean
}

export function addPrevention(group: Command, context: CommandContext): void {
  const { io, around, done } = context
  const command = group
    .command('prevent')
    .description('Find the smallest change that would have refused a call or stop of a session')
  connectTo(command, 'publish and sessions:read')
    .argument('<id>', 'Id of the session')
    .requiredOption('--at <seq>', 'Sequence number of the decision of the call or stop', parseSeq)
    .option('--take <number>', 'Make this change to the draft, and pin the call or stop', parseSeq)
    .option('--shadow', 'With --take: an added policy is only recorded', false)
    .addHelpText(
      'after',
      formatExitCodes(
        'A change refuses it, and refuses nothing in good sessions',
        'Only a reviewer can tell it from good sessions, or nothing can',
        'Unusable input',
      ),
    )
    .action(async (id: string, options: Asked) => {
      const plane = connect(options, around.env)
      const found = await search(plane, id, options.at)
      const candidates = found.candidates ?? []
      if (options.json) io.out(JSON.stringify(found))
      else print(io, found)
      if (options.take !== undefined) await take(plane, context, { found, ...options })
      done(candidates.some(({ outcome }) => outcome !== 'waits') ? EXIT.clean : EXIT.findings)
    })
}

async function search(plane: ControlPlane, session: string, seq: number) {
  const path = `/sessions/${encodeURIComponent(session)}/prevention`
  const { id } = await plane.need({ method: 'POST', path, body: { seq }, schema: ManagedRow })
  return await waitForSearch(
    () => plane.need({ path: `/preventions/${id}`, schema: ManagedPrevention }),
    POLL_MS,
  )
}

type Found = Awaited<ReturnType<typeof search>>

function print(io: Io, { candidates, near_misses: misses, no_answer: why }: Found): void {
  if (why !== null) io.out(printable(why))
  for (const [i, candidate] of (candidates ?? []).entries()) {
    const { sentence, evidence, also_stops: others, faults } = candidate
    io.out(printable(`${i + 1}  ${sentence}.`))
    io.out(
      printable(
        `   ${evidence}${others > 0 ? ` Also refuses ${others} of the others marked as bad.` : ''}`,
      ),
    )
    for (const fault of faults) io.out(printable(`   Caution: ${fault}`))
  }
  for (const { sentence, evidence } of misses ?? [])
    io.out(printable(`Near miss: ${sentence}. ${evidence}`))
}

async function take(
  plane: ControlPlane,
  { io }: CommandContext,
  { found, take: candidate, shadow }: Asked & { readonly found: Found },
): Promise<void> {
  const { ns, key } = await plane.need({
    method: 'POST',
    path: `/preventions/${found.id}/take`,
    body: { candidate, mode: shadow ? 'shadow' : 'enforce' },
    schema: ManagedRow,
  })
  io.err(printable(`Added the change to the draft of ${ns}/${key} and pinned the case.`))
}

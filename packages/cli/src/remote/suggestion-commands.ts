// Rules that the control plane finds in the recorded sessions of a prompt (specs/suggestions.md).
import { ManagedRow, ManagedSuggestions } from '@signalbox/wire'
import type { Command } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { EXIT, formatExitCodes, type Io } from '../base/io.ts'
import { printable } from '../base/printable.ts'
import { type ControlPlane, connect } from './control-plane.ts'
import { parsePrompt } from './folder.ts'
import { configPath } from './remote-configs.ts'
import { connectTo } from './table.ts'
import { waitForSearch } from './wait.ts'

const POLL_MS = 1_000

interface Common {
  readonly url?: string
  readonly json: boolean
}

export function addSuggestions(program: Command, context: CommandContext): void {
  const { io, around, done } = context
  const group = program
    .command('suggestions')
    .description('Find rules that the good recorded sessions of a prompt have in common')
  const plane = (options: Common) => connect(options, around.env)
  const address = (prompt: string) => `${configPath(parsePrompt(prompt))}/suggestions`

  connectTo(
    group.command('find').description('Search the sessions of the environment of the key'),
    'publish and sessions:read',
  )
    .argument('<prompt>', 'Prompt, as ns/key')
    .addHelpText(
      'after',
      formatExitCodes('Nothing is suggested', 'Rules are suggested', 'Unusable input'),
    )
    .action(async (prompt: string, options: Common) => {
      const found = await search(plane(options), address(prompt))
      if (options.json) io.out(JSON.stringify(found))
      else print(io, found)
      const isOpen = found.rules.some(({ state }) => state === 'open')
      done(isOpen ? EXIT.findings : EXIT.clean)
    })
  connectTo(group.command('take').description('Add suggested rules to the draft'), 'publish')
    .argument('<prompt>', 'Prompt, as ns/key')
    .argument('<ids...>', 'Ids of suggested rules')
    .option('--enforce', 'Not in shadow mode; checks act at once in any case', false)
    .action(
      async (
        prompt: string,
        ids: readonly string[],
        options: Common & { readonly enforce: boolean },
      ) => {
        const path = `${address(prompt)}/take`
        const body = { ids, mode: options.enforce ? 'enforce' : 'shadow' }
        await plane(options).need({ method: 'POST', path, body, schema: ManagedRow })
        io.out(options.json ? JSON.stringify({ ok: true }) : `Added to the draft of ${prompt}.`)
        done(EXIT.clean)
      },
    )
  connectTo(group.command('dismiss').description('Never suggest a rule again'), 'publish')
    .argument('<prompt>', 'Prompt, as ns/key')
    .argument('<id>', 'Id of the suggested rule')
    .requiredOption('--reason <text>', 'Why the rule is not wanted')
    .action(async (prompt: string, id: string, options: Common & { readonly reason: string }) => {
      const path = `${address(prompt)}/${encodeURIComponent(id)}/dismiss`
      const body = { reason: options.reason }
      await plane(options).need({ method: 'POST', path, body, schema: ManagedRow.optional() })
      io.out(options.json ? JSON.stringify({ ok: true }) : `${id}: dismissed`)
      done(EXIT.clean)
    })
  connectTo(group.command('restore').description('Let a dismissed rule be suggested'), 'publish')
    .argument('<prompt>', 'Prompt, as ns/key')
    .argument('<id>', 'Id of the dismissed rule')
    .action(async (prompt: string, id: string, options: Common) => {
      const path = `${address(prompt)}/${encodeURIComponent(id)}/restore`
      await plane(options).need({ method: 'POST', path, schema: ManagedRow.optional() })
      io.out(options.json ? JSON.stringify({ ok: true }) : `${id}: restored`)
      done(EXIT.clean)
    })
}

async function search(plane: ControlPlane, path: string): Promise<ManagedSuggestions> {
  await plane.need({ method: 'POST', path: `${path}/search`, schema: ManagedRow })
  return await waitForSearch(() => plane.need({ path, schema: ManagedSuggestions }), POLL_MS)
}

function print(io: Io, { rules, refused, good_sessions, bad_sessions }: ManagedSuggestions): void {
  const sample = `From ${good_sessions ?? 0} good sessions and ${bad_sessions ?? 0} bad ones.`
  io.out(rules.length === 0 ? `${sample} No new pattern found.` : sample)
  for (const { id, group, state, sentence, evidence, good } of rules) {
    const isTaken = state === 'taken' ? ' (in the draft)' : ''
    io.out(printable(`${id}  ${group}  ${sentence}.${isTaken}`))
    const denied = good.denied === 0 ? '' : ` Would have denied ${good.denied_sessions.join(', ')}.`
    io.out(printable(`  ${evidence}${denied}`))
  }
  if (refused.length > 0) {
    io.out(`${refused.length} more would have denied too many good sessions.`)
  }
}

// Staged rollouts, watched releases and shadow versions, under the gates of the console (specs/staged-rollouts.md).
import { ManagedRow, ManagedRows } from '@signalbox/wire'
import type { Command } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { EXIT } from '../base/io.ts'
import { connect } from './control-plane.ts'
import { parsePrompt } from './folder.ts'
import { parseShare, parseVersion } from './options.ts'
import { configPath } from './remote-configs.ts'
import { connectTo, printRows } from './table.ts'

const COLUMNS = ['id', 'environment', 'kind', 'state', 'version', 'base_version', 'share']

interface Common {
  readonly url?: string
  readonly json: boolean
}

interface Noted extends Common {
  readonly note?: string
}

function parseShadow(text: string): number | null {
  return text === 'none' ? null : parseVersion(text)
}

export function addRollouts(program: Command, { io, around, done }: CommandContext): void {
  const group = program
    .command('rollouts')
    .description('List staged rollouts, change the share of one, stop one, or set a shadow version')

  async function change(
    options: Common,
    ask: {
      readonly method: 'PATCH' | 'POST' | 'PUT'
      readonly path: string
      readonly body: object
    },
    told: string,
  ): Promise<void> {
    const plane = connect(options, around.env)
    await plane.need({ ...ask, schema: ManagedRow.optional() })
    io.out(options.json ? JSON.stringify({ ok: true }) : told)
    done(EXIT.clean)
  }

  connectTo(group.command('list').description('List the rollouts of a config'), 'read')
    .argument('<prompt>', 'Prompt, as ns/key')
    .action(async (name: string, options: Common) => {
      const plane = connect(options, around.env)
      const path = `${configPath(parsePrompt(name))}/rollouts`
      const page = await plane.need({ path, schema: ManagedRows })
      printRows(io, page, { many: 'rollouts', columns: COLUMNS, ...options })
      done(EXIT.clean)
    })
  connectTo(group.command('share').description('Change the share of a staged rollout'), 'publish')
    .argument('<id>', 'Id of the rollout')
    .argument('<percent>', 'Percentage of new sessions that get the version', parseShare)
    .option('--note <text>', 'Reason, kept with the rollout')
    .option('--confirm <environment>', 'Name of the environment, if a larger share requires it')
    .action(async (id: string, share: number, options: Noted & { readonly confirm?: string }) => {
      const { note = null, confirm = null } = options
      const path = `/rollouts/${encodeURIComponent(id)}`
      const ask = { method: 'PATCH', path, body: { share, note, confirm } } as const
      await change(options, ask, `${id}: ${share / 10}% of new sessions`)
    })
  connectTo(
    group.command('stop').description('Give new sessions the previous version again'),
    'publish',
  )
    .argument('<id>', 'Id of the rollout')
    .option('--note <text>', 'Reason, kept with the rollout')
    .action(async (id: string, options: Noted) => {
      const { note = null } = options
      const path = `/rollouts/${encodeURIComponent(id)}/stop`
      await change(options, { method: 'POST', path, body: { note } }, `${id}: stopped`)
    })
  connectTo(
    group
      .command('shadow')
      .description('Compare a version with the live one, without acting on it'),
    'publish',
  )
    .argument('<prompt>', 'Prompt, as ns/key')
    .argument('<version>', 'Version to compare, or none to end the comparison', parseShadow)
    .requiredOption('--env <environment>', 'Environment of the API key')
    .action(async (name: string, version: number | null, options: Common & { env: string }) => {
      const { env: environment } = options
      const path = `${configPath(parsePrompt(name))}/shadow`
      const told = version === null ? 'no shadow version' : `v${version} is the shadow version`
      const ask = { method: 'PUT', path, body: { environment, version } } as const
      await change(options, ask, `${name}: ${told} in ${environment}`)
    })
}

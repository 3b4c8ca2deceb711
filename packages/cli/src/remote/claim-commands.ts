// Claims of a config on the control plane (specs/prove.md).
import { ClaimsV1, ManagedRow, ManagedRows } from '@signalbox/wire'
import type { Command } from 'commander'
import { parseCheckedJson } from '../base/checked-json.ts'
import type { CommandContext } from '../base/command-context.ts'
import { EXIT } from '../base/io.ts'
import { connect } from './control-plane.ts'
import { parsePrompt } from './folder.ts'
import { configPath } from './remote-configs.ts'
import { connectTo, printRows } from './table.ts'

const COLUMNS = ['id', 'expect', 'sentence']

interface Common {
  readonly url?: string
  readonly json: boolean
}

export function addClaims(program: Command, { io, around, done }: CommandContext): void {
  const group = program
    .command('claims')
    .description('Keep claims that every release of a config is checked against')
  const plane = (options: Common) => connect(options, around.env)

  connectTo(group.command('list').description('List the claims of a config'), 'read')
    .argument('<prompt>', 'Prompt, as ns/key')
    .action(async (name: string, options: Common) => {
      const path = `${configPath(parsePrompt(name))}/claims`
      const page = await plane(options).need({ path, schema: ManagedRows })
      printRows(io, page, { many: 'claims', columns: COLUMNS, ...options })
      done(EXIT.clean)
    })
  connectTo(
    group.command('add').description('Add the claims of a file that "signalbox prove" can check'),
    'publish',
  )
    .argument('<prompt>', 'Prompt, as ns/key')
    .argument('<file>', 'File with claims')
    .action(async (name: string, file: string, options: Common) => {
      const path = `${configPath(parsePrompt(name))}/claims`
      const { claims } = parseCheckedJson(ClaimsV1, file, await io.readText(file))
      const server = plane(options)
      const ids: string[] = []
      for (const body of claims) {
        const { id } = await server.need({ method: 'POST', path, body, schema: ManagedRow })
        ids.push(String(id))
        if (!options.json) io.out(`${String(id)}: added`)
      }
      if (options.json) io.out(JSON.stringify({ ids }))
      done(EXIT.clean)
    })
  connectTo(group.command('remove').description('Remove a claim'), 'publish')
    .argument('<id>', 'Id of the claim')
    .action(async (id: string, options: Common) => {
      const path = `/claims/${encodeURIComponent(id)}`
      await plane(options).need({ method: 'DELETE', path, schema: ManagedRow.optional() })
      io.out(options.json ? JSON.stringify({ ok: true }) : `${id}: removed`)
      done(EXIT.clean)
    })
}

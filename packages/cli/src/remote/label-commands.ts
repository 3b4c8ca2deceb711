// Labels beside the log of a session: what people call good and bad (specs/labels.md).
import { ManagedRows } from '@signalbox/wire'
import { Argument, type Command } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { EXIT } from '../base/io.ts'
import { connect } from './control-plane.ts'
import { parseSeq } from './options.ts'
import { connectTo, printRows } from './table.ts'

interface Asked {
  readonly url?: string
  readonly json: boolean
}

const TABLE = { many: 'labels', columns: ['seq', 'label', 'by', 'at'] } as const

export function addLabels(group: Command, { io, around, done }: CommandContext): void {
  const change = async (id: string, body: object | undefined, options: Asked) => {
    const page = await connect(options, around.env).need({
      ...(body && { method: 'PUT', body }),
      path: `/sessions/${encodeURIComponent(id)}/labels`,
      schema: ManagedRows,
    })
    printRows(io, page, { ...TABLE, json: options.json })
    done(EXIT.clean)
  }
  const list = group
    .command('labels')
    .description('List the labels of a session, its calls and stops')
  connectTo(list, 'sessions:read')
    .argument('<id>', 'Id of the session')
    .action((id: string, options: Asked) => change(id, undefined, options))
  const set = group
    .command('label')
    .description('Label a session, or one of its calls or stops, as good or bad')
  connectTo(set, 'labels:write')
    .argument('<id>', 'Id of the session')
    .addArgument(new Argument('<label>', 'none removes the label').choices(['good', 'bad', 'none']))
    .option(
      '--at <seq>',
      'Sequence number of the decision of a call or stop; without it, the session is labeled',
      parseSeq,
      0,
    )
    .action((id: string, label: string, { at: seq, ...options }: Asked & { readonly at: number }) =>
      change(id, { seq, label: label === 'none' ? null : label }, options),
    )
}

// Lists of the control plane as a table for people or JSON for programs.
import { ManagedRow, ManagedRows } from '@signalbox/wire'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { EXIT } from '../base/io.ts'
import { addAnswers } from './answer-command.ts'
import { type ControlPlane, connect } from './control-plane.ts'
import { addLabels } from './label-commands.ts'
import { addPrevention } from './prevention-command.ts'
import { addSessionOrders } from './session-orders.ts'
import { connectTo, printRow, printRows } from './table.ts'

interface Listed {
  readonly command: string
  /** Last part of the address. */
  readonly path: string
  readonly one: string
  readonly many: string
  readonly scope: 'read' | 'sessions:read' | 'audit:read' | 'admin'
  /** Description of the command. Absent: it lists and shows. */
  readonly about?: string
  /** Fields of the table, from left to right. */
  readonly columns: readonly string[]
  /** False: the list has states instead of pages, a filter and a range. */
  readonly isPaged: boolean
}

const LISTED: readonly Listed[] = [
  {
    command: 'sessions',
    path: 'sessions',
    one: 'session',
    many: 'sessions',
    about: 'List sessions, show one, or pause, resume or end one',
    scope: 'sessions:read',
    columns: ['session', 'status', 'prompt', 'version', 'started_at', 'denied', 'last_verdict'],
    isPaged: true,
  },
  {
    command: 'stops',
    path: 'stops',
    one: 'stop',
    many: 'stops',
    scope: 'sessions:read',
    columns: ['stop', 'at', 'verdict', 'prompt', 'reason'],
    isPaged: true,
  },
  {
    command: 'runtimes',
    path: 'runtimes',
    one: 'runtime',
    many: 'runtimes',
    scope: 'read',
    columns: ['runtime', 'name', 'state', 'applied_revision', 'expected_revision', 'last_seen_at'],
    isPaged: true,
  },
  {
    command: 'approvals',
    path: 'approvals',
    about: 'List, show, approve or deny call approvals',
    one: 'call approval',
    many: 'call approvals',
    scope: 'sessions:read',
    columns: ['approval', 'requested_at', 'waits_until', 'tool', 'prompt', 'decision'],
    isPaged: false,
  },
  {
    command: 'audit',
    path: 'audit-log',
    one: 'audit entry',
    many: 'audit entries',
    scope: 'audit:read',
    columns: ['id', 'at', 'actor', 'action', 'target'],
    isPaged: true,
  },
]

const MOST_PER_PAGE = 200

function parseLimit(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= 100_000) return value
  throw new InvalidArgumentError('Use 1 to 100000.')
}

interface Asked {
  readonly url?: string
  readonly json: boolean
  readonly filter?: string
  readonly since?: string
  readonly until?: string
  readonly after?: string
  readonly state?: string
  /** Absent: one page, of the size that the server chooses. */
  readonly limit?: number
}

async function readPages(plane: ControlPlane, path: string, asked: Asked) {
  const { filter, since, until, state, limit } = asked
  const given = { filter, since, until, state }
  const rows: ManagedRow[] = []
  for (let after = asked.after; ; ) {
    const size = limit && Math.min(limit - rows.length, MOST_PER_PAGE)
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...given, after, limit: size })) {
      if (value !== undefined) search.set(name, String(value))
    }
    const page = await plane.need({
      path: `/${path}?${search}`,
      schema: ManagedRows,
    })
    rows.push(...page.rows)
    if (limit === undefined || page.next === null || rows.length >= limit) {
      return { rows, next: page.next }
    }
    after = page.next
  }
}

function addPaging(command: Command): Command {
  return command
    .option('--filter <text>', 'Filter text, as in the console')
    .option('--since <time>', 'Earliest time: ISO 8601 in UTC, or epoch milliseconds')
    .option('--until <time>', 'Time before which rows are')
    .option('--after <next>', 'Continue after a page: its "next" in --json')
    .option('--limit <rows>', 'Maximum number of rows', parseLimit, 50)
}

/** Returns the command whose subcommands it added. */
function addList(program: Command, { io, around, done }: CommandContext, listed: Listed): Command {
  const { command: name, path, one, many, columns, isPaged, scope } = listed
  const group = program.command(name).description(listed.about ?? `List ${many}, or show one`)
  const list = connectTo(group.command('list').description(`List ${many}`), scope)
  const plane = (options: Asked) => connect(options, around.env)
  if (isPaged) addPaging(list)
  else {
    list
      .addOption(
        new Option('--state <state>', `State of the ${many}`)
          .choices(['waiting', 'settled'])
          .default('waiting'),
      )
      .option('--after <next>', 'Continue after a page: its "next" in --json')
  }
  list.action(async (options: Asked) => {
    printRows(io, await readPages(plane(options), path, options), { many, columns, ...options })
    done(EXIT.clean)
  })
  connectTo(group.command('show').description(`Show all fields of one ${one}`), scope)
    .argument('<id>', `Id of the ${one}`)
    .action(async (id: string, options: Asked) => {
      const address = `/${path}/${encodeURIComponent(id)}`
      printRow(io, await plane(options).need({ path: address, schema: ManagedRow }), options)
      done(EXIT.clean)
    })
  return group
}

const STREAM_COLUMNS = ['id', 'name', 'to', 'number', 'attempts', 'aside_at', 'last']

function addStreams(program: Command, { io, around, done }: CommandContext): void {
  const path = '/webhook-streams'
  const group = program.command('streams').description('List webhook streams, or resume one')
  const plane = (options: Asked) => connect(options, around.env)
  connectTo(group.command('list').description('List webhook streams'), 'admin').action(
    async (options: Asked) => {
      const page = await plane(options).need({ path, schema: ManagedRows })
      printRows(io, page, { many: 'webhook streams', columns: STREAM_COLUMNS, ...options })
      done(EXIT.clean)
    },
  )
  connectTo(
    group.command('resume').description('Send again from the first record that did not arrive'),
    'admin',
  )
    .argument('<id>', 'Id of the webhook stream')
    .action(async (id: string, options: Asked) => {
      const address = `${path}/${encodeURIComponent(id)}/resume`
      await plane(options).need({
        method: 'POST',
        path: address,
        schema: ManagedRow.optional(),
      })
      io.out(options.json ? JSON.stringify({ ok: true }) : 'Resumed.')
      done(EXIT.clean)
    })
}

export function addLists(program: Command, context: CommandContext): void {
  for (const listed of LISTED) {
    const group = addList(program, context, listed)
    if (listed.command === 'sessions') {
      addSessionOrders(group, context)
      addLabels(group, context)
      addPrevention(group, context)
    }
    if (listed.path === 'approvals') addAnswers(group, context)
  }
  addStreams(program, context)
}

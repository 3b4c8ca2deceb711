// Lists of the control plane as a table for people or JSON for programs.
import { ManagedRow, ManagedRows } from '@signalbox/wire'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { EXIT, formatHelpSection } from '../base/io.ts'
import { printable } from '../base/printable.ts'
import { addAnswers } from './answer-command.ts'
import { ControlPlane, remoteSettings } from './control-plane.ts'
import { addSessionOrders } from './session-orders.ts'

type Row = Readonly<Record<string, unknown>>

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

/** The management API has times as epoch milliseconds under these names. */
const IS_TIME = /(^|_)(at|until)$/

const MOST_PER_PAGE = 200

function formatValue(name: string, value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'number' && IS_TIME.test(name)) return new Date(value).toISOString()
  return printable(typeof value === 'string' ? value : JSON.stringify(value))
}

function formatTable(columns: readonly string[], rows: readonly Row[]): readonly string[] {
  const cells = rows.map((row) => columns.map((name) => formatValue(name, row[name])))
  const lines = [columns, ...cells]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function formatFields(row: Row): readonly string[] {
  const width = Math.max(...Object.keys(row).map(({ length }) => length))
  return Object.entries(row).map(
    ([name, value]) => `${name.padEnd(width)}  ${formatValue(name, value)}`,
  )
}

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
  const rows: Row[] = []
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

function connectTo(
  command: Command,
  { command: name, scope }: Pick<Listed, 'command' | 'scope'>,
): Command {
  return command
    .option('--url <url>', 'Address of the control plane (env: SIGNALBOX_URL)')
    .option('--json', `Print one JSON object, as the management API sends ${name}`, false)
    .addHelpText(
      'after',
      formatHelpSection('Environment variables', {
        SIGNALBOX_API_KEY: `API key with the scope ${scope} (Settings, API keys)`,
      }),
    )
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
  const { command: name, path, one, many, columns, isPaged } = listed
  const group = program.command(name).description(listed.about ?? `List ${many}, or show one`)
  const list = connectTo(group.command('list').description(`List ${many}`), listed)
  const plane = (options: Asked) => new ControlPlane(remoteSettings(options, around.env))
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
    const page = await readPages(plane(options), path, options)
    if (options.json) io.out(JSON.stringify(page))
    else if (page.rows.length === 0) io.out(`There are no such ${many}.`)
    else for (const line of formatTable(columns, page.rows)) io.out(line)
    done(EXIT.clean)
  })
  connectTo(group.command('show').description(`Show all fields of one ${one}`), listed)
    .argument('<id>', `Id of the ${one}`)
    .action(async (id: string, options: Asked) => {
      const address = `/${path}/${encodeURIComponent(id)}`
      const row = await plane(options).need({ path: address, schema: ManagedRow })
      if (options.json) io.out(JSON.stringify(row))
      else for (const line of formatFields(row)) io.out(line)
      done(EXIT.clean)
    })
  return group
}

const STREAM_COLUMNS = ['id', 'name', 'to', 'number', 'attempts', 'aside_at', 'last']

function addStreams(program: Command, { io, around, done }: CommandContext): void {
  const streams = { command: 'streams', scope: 'admin' } as const
  const path = '/webhook-streams'
  const group = program.command('streams').description('List webhook streams, or resume one')
  const plane = (options: Asked) => new ControlPlane(remoteSettings(options, around.env))
  connectTo(group.command('list').description('List webhook streams'), streams).action(
    async (options: Asked) => {
      const page = await plane(options).need({ path, schema: ManagedRows })
      if (options.json) io.out(JSON.stringify(page))
      else if (page.rows.length === 0) io.out('There are no such webhook streams.')
      else for (const line of formatTable(STREAM_COLUMNS, page.rows)) io.out(line)
      done(EXIT.clean)
    },
  )
  connectTo(
    group.command('resume').description('Send again from the first record that did not arrive'),
    streams,
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
    if (listed.command === 'sessions') addSessionOrders(group, context)
    if (listed.path === 'approvals') addAnswers(group, context)
  }
  addStreams(program, context)
}

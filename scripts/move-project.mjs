// @ts-check
// npm run move-project -- <project> --to <cell>, while its agents work (docs/operations/cells.md). Exit codes: server/platform/base/failure.mjs.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { describeError, Failure } from '../server/platform/base/failure.mjs'
import { MAIN_CELL } from '../server/platform/base/variables.mjs'
import { connect } from '../server/platform/db/connect.mjs'
import { activateCell, moveProject, removeMoved } from '../server/platform/db/move-project.mjs'
import { readVariables } from './read-variables.mjs'

const HELP = `Usage: npm run move-project -- <project> --to <cell>

Move a project to the database of another cell while its agents work

Arguments:
  project  The project's short name in addresses, after ?project=

Options:
  --to <cell>  Cell to move to; main: the cell of the directory
  --help       Show help

Environment variables:
  DATABASE_URL             Database that the project is in
  DATABASE_DIRECT_URL      The same without a pooler
  SIGNALBOX_DIRECTORY_URL  Database of the directory, if it is another one
  SIGNALBOX_TARGET_URL     Database of the cell to move to, without a pooler
`
/** Requests that began before the move last 20 seconds at most, and processes trust the directory for two. */
const REST_MS = 30_000

function options() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { to: { type: 'string' }, help: { type: 'boolean', default: false } },
    })
    if (values.help) return null
    const [slug, ...others] = positionals
    if (slug === undefined || others.length > 0) throw new Error('name one project')
    if (values.to === undefined) throw new Error('--to is missing')
    return { slug, cell: values.to }
  } catch (error) {
    throw new Failure(
      'usage',
      `The options are invalid: ${describeError(error)}. Try "npm run move-project -- --help".`,
    )
  }
}

/** @param {import('./read-variables.mjs').Given} variables @param {string} name */
function required(variables, name) {
  const value = variables[name]
  if (value === undefined) throw new Failure('badConfiguration', `Set ${name}.`)
  return value
}

/** @param {string} line */
const report = (line) => void process.stdout.write(`${line}\n`)

/** @param {{ slug: string, cell: string }} wanted @param {import('pg').Client[]} open */
async function main({ slug, cell }, open) {
  const variables = readVariables(process.env)
  if (variables['SIGNALBOX_EVENT_LOG'] !== undefined) {
    throw new Failure(
      'badConfiguration',
      'Events that wait in the event log would become dead letters. Stop using the log until it is empty, then move the project.',
    )
  }
  /** @param {string} url @param {string} variable */
  const opened = async (url, variable) => {
    const client = await connect(url, variable)
    open.push(client)
    return client
  }
  const url = variables['DATABASE_DIRECT_URL'] ?? required(variables, 'DATABASE_URL')
  const source = await opened(url, 'DATABASE_URL')
  const target = await opened(required(variables, 'SIGNALBOX_TARGET_URL'), 'SIGNALBOX_TARGET_URL')
  const { SIGNALBOX_DIRECTORY_URL: elsewhere } = variables
  const directory =
    elsewhere === undefined ? source : await opened(elsewhere, 'SIGNALBOX_DIRECTORY_URL')
  const { rows } = await directory.query(
    'SELECT id, coalesce(cell, $2) AS cell FROM projects WHERE slug = $1',
    [slug, MAIN_CELL],
  )
  if (rows.length === 0) throw new Failure('badConfiguration', `There is no project "${slug}".`)
  const move = { source, target, projectId: rows[0].id }
  // Otherwise an earlier call was interrupted before it removed the rows.
  if (rows[0].cell !== cell) {
    const activate = () => activateCell(directory, move, cell)
    const { refusedMs } = await moveProject(move, { activate, report })
    report(
      `The project is in cell ${cell}. Its writes were refused for ${Math.ceil(refusedMs)} ms.`,
    )
  }
  await sleep(REST_MS)
  await removeMoved(move, { isDirectory: elsewhere === undefined })
  report('Its rows are removed from the database that it left.')
}

/** @type {import('pg').Client[]} */
const open = []
try {
  const wanted = options()
  if (wanted === null) process.stdout.write(HELP)
  else await main(wanted, open)
} catch (error) {
  process.exitCode = error instanceof Failure ? error.exitCode : 1
  process.stderr.write(`${describeError(error)}\n`)
} finally {
  await Promise.all(open.map((client) => client.end()))
}

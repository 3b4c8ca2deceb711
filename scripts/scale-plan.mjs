// @ts-check
// npm run scale-plan: computed from unit costs that were measured on one machine with 2 cores; nothing was run at these sizes. `--
// --retentionDays 7` changes an input, `-- --events 50000000,2000000000` the columns, `-- --write` the tables in docs/operations/scale.md.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ROOT } from './build-steps.mjs'

const PAGE = path.join(ROOT, 'docs/operations/scale.md')
const [BEGIN, END] = ['<!-- plan -->\n', '<!-- /plan -->']
const DAY_S = 86_400
const [MICRO, MEGA, GIGA, TERA] = [1e-6, 1e6, 1e9, 1e12]

export const INPUTS = /** @type {const} */ ({
  peakFactor: [4, 'peak over the mean of a day', 'chosen'],
  retentionDays: [30, 'days that events are kept', 'chosen'],
  hotDays: [3, 'of them in PostgreSQL, when older ones are archived', 'chosen'],
  copies: [3, 'servers of PostgreSQL that hold each row', 'chosen'],
  eventsPerRuntime: [10_000, 'events that a runtime reports a day', 'chosen'],
  runtimesPerPage: [10, 'runtimes for each open page of the console', 'chosen'],
  webMerged: [54, 'µs of the server an event, requests merged', 'measured'],
  webLive: [85, 'µs of the server an event, live requests of 20', 'measured'],
  databaseMerged: [27, 'µs of PostgreSQL an event, requests merged', 'measured'],
  databaseLive: [48, 'µs of PostgreSQL an event, live requests of 20', 'measured'],
  liveBatch: [20, 'events of a live request', 'chosen'],
  mergedBatch: [400, 'events of a transaction of merged requests', 'chosen'],
  rowBytes: [686, 'bytes an event in PostgreSQL, with its share of other tables', 'measured'],
  walBytes: [850, 'bytes an event of write-ahead log', 'measured'],
  sentBytes: [63, 'bytes an event, compressed: on the network and in the archive', 'measured'],
  streamKib: [33, 'KiB of memory of an open stream', 'measured'],
  streamMicros: [7, 'µs a second of an open stream', 'measured'],
  processShare: [0.7, 'of a core that a process of the server uses at the peak', 'chosen'],
  processConnections: [18, 'connections of a process to PostgreSQL', 'measured'],
  databaseCores: [16, 'cores of one server of PostgreSQL', 'chosen'],
  databaseShare: [0.6, 'of them used at the peak', 'chosen'],
  walLimit: [100, 'MB a second of write-ahead log that disk and standbys take', 'chosen'],
  commitLimit: [2_000, 'commits a second with a synchronous standby', 'measured'],
  connectionLimit: [400, 'connections of one server of PostgreSQL', 'chosen'],
  restoreRate: [200, 'MB a second of a restore', 'chosen'],
  restoreHours: [8, 'hours that a restore may take', 'chosen'],
  corePrice: [29, 'a core and month', 'price'],
  diskPrice: [0.08, 'a GB and month of disk', 'price'],
  archivePrice: [0.02, 'a GB and month of archive', 'price'],
})

/** @typedef {{ readonly [Name in keyof typeof INPUTS]: number }} Inputs */

/** @param {number} events @param {Inputs} inputs */
function measure(events, inputs) {
  const mean = events / DAY_S
  const peak = mean * inputs.peakFactor
  const runtimes = events / inputs.eventsPerRuntime
  const streams = runtimes + runtimes / inputs.runtimesPerPage
  const streamCores = streams * inputs.streamMicros * MICRO
  const webCores = peak * inputs.webMerged * MICRO + streamCores
  const processes = Math.ceil(webCores / inputs.processShare)
  const dayBytes = events * inputs.rowBytes
  return {
    ...{ mean, peak, runtimes, streams, webCores, processes, dayBytes },
    webCoresLive: peak * inputs.webLive * MICRO + streamCores,
    databaseCores: peak * inputs.databaseMerged * MICRO,
    databaseCoresLive: peak * inputs.databaseLive * MICRO,
    commits: peak / inputs.mergedBatch,
    commitsLive: peak / inputs.liveBatch,
    walRate: peak * inputs.walBytes,
    walDay: events * inputs.walBytes,
    network: peak * inputs.sentBytes,
    streamBytes: streams * inputs.streamKib * 1024,
    connections: processes * inputs.processConnections,
    disk: dayBytes * inputs.retentionDays,
    hotDisk: dayBytes * Math.min(inputs.hotDays, inputs.retentionDays),
    archive: events * inputs.sentBytes * Math.max(0, inputs.retentionDays - inputs.hotDays),
  }
}

const DISK = 'disk (time to restore it)'
const ARCHIVED = 'disk, older events archived'

/**
 * Shares of what one database can take; 1: its limit.
 * @param {ReturnType<typeof measure>} amounts
 * @param {Inputs} inputs
 * @returns {Readonly<Record<string, number>>}
 */
function limits(amounts, inputs) {
  const disk = inputs.restoreRate * MEGA * inputs.restoreHours * 3_600
  const cores = inputs.databaseCores * inputs.databaseShare
  return {
    [DISK]: amounts.disk / disk,
    'commits, live requests': amounts.commitsLive / inputs.commitLimit,
    'processor, live requests': amounts.databaseCoresLive / cores,
    [ARCHIVED]: amounts.hotDisk / disk,
    'write-ahead log': amounts.walRate / (inputs.walLimit * MEGA),
    'processor, requests merged': amounts.databaseCores / cores,
    'commits, requests merged': amounts.commits / inputs.commitLimit,
    'connections without a pooler': amounts.connections / inputs.connectionLimit,
  }
}

/** Limits that remain when older events are archived and waiting requests are merged, as they are by default. */
const LAST = [ARCHIVED, 'write-ahead log', 'processor, requests merged', 'commits, requests merged']

/** Name of the limit that a growing number of events reaches first. @param {Inputs} inputs @param {(name: string) => boolean} [counts] */
function firstLimit(inputs, counts = () => true) {
  // Far above all of them, where what every installation has from its first process on no longer matters.
  const shares = Object.entries(limits(measure(100 * GIGA, inputs), inputs))
  const [[name] = ['']] = shares.filter(([each]) => counts(each)).toSorted(([, a], [, b]) => b - a)
  return name
}

/** Databases that are needed when older events are archived. @param {Readonly<Record<string, number>>} shares */
function countCells(shares) {
  return Math.ceil(Math.max(...LAST.map((name) => shares[name] ?? 0)))
}

/** Cost of a month, without and with an archive. @param {ReturnType<typeof measure>} amounts @param {Inputs} inputs */
function price(amounts, inputs) {
  const cores = (amounts.webCores + amounts.databaseCores * inputs.copies) / inputs.processShare
  const disk = (/** @type {number} */ bytes) => (bytes / GIGA) * inputs.copies * inputs.diskPrice
  const processor = cores * inputs.corePrice
  const archive = (amounts.archive / GIGA) * inputs.archivePrice
  return {
    processor,
    plain: processor + disk(amounts.disk),
    archived: processor + disk(amounts.hotDisk) + archive,
  }
}

/** Two significant digits, so that no figure looks more exact than it is. @param {number} value */
function round(value) {
  return Number(value.toPrecision(2)).toLocaleString('en', { maximumFractionDigits: 6 })
}

/** @param {number} bytes */
function size(bytes) {
  if (bytes >= TERA) return `${round(bytes / TERA)} TB`
  return bytes >= GIGA ? `${round(bytes / GIGA)} GB` : `${round(bytes / MEGA)} MB`
}

/** @param {number} share */
const percent = (share) => `${round(share * 100)}%`

/** @param {number} events */
function count(events) {
  return events >= GIGA ? `${round(events / GIGA)} billion` : `${round(events / MEGA)} million`
}

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |\n`
  return [head, head.map(() => '---'), ...rows].map(line).join('')
}

/** @param {readonly number[]} columns events a day @param {Inputs} inputs */
export function plan(columns, inputs) {
  const amounts = columns.map((events) => measure(events, inputs))
  const shares = amounts.map((each) => limits(each, inputs))
  const prices = amounts.map((each) => price(each, inputs))
  /**
   * @param {string} name
   * @param {(amounts: ReturnType<typeof measure>, column: number) => string} cell
   */
  const row = (name, cell) => [name, ...amounts.map(cell)]
  const head = ['Events a day', ...columns.map(count)]
  const names = Object.keys(limits(measure(1, inputs), inputs))
  return [
    `Extrapolated, at a peak of ${inputs.peakFactor} times the mean:\n`,
    table(head, [
      row('events a second, mean and peak', ({ mean, peak }) => `${round(mean)}, ${round(peak)}`),
      row(
        'runtimes, and streams with open pages',
        ({ runtimes, streams }) => `${round(runtimes)}, ${round(streams)}`,
      ),
      row(
        'cores of the server: merged requests, live requests',
        (a) => `${round(a.webCores)}, ${round(a.webCoresLive)}`,
      ),
      row('processes of the server', ({ processes }) => round(processes)),
      row('memory of streams', ({ streamBytes }) => size(streamBytes)),
      row(
        'cores of PostgreSQL: merged, live',
        (a) => `${round(a.databaseCores)}, ${round(a.databaseCoresLive)}`,
      ),
      row('commits a second: merged, live', (a) => `${round(a.commits)}, ${round(a.commitsLive)}`),
      row('connections to PostgreSQL', ({ connections }) => round(connections)),
      row('write-ahead log a second, a day', (a) => `${size(a.walRate)}, ${size(a.walDay)}`),
      row('network a second, from runtimes', ({ network }) => size(network)),
      row(`disk of one server, ${inputs.retentionDays} days`, ({ disk }) => size(disk)),
      row(
        `the same, ${inputs.hotDays} days and an archive`,
        (a) => `${size(a.hotDisk)} and ${size(a.archive)}`,
      ),
    ]),
    'Share of what one database can take (100%: its limit):\n',
    table(head, [
      ...names.map((name) => [
        name,
        ...shares.map((each) =>
          percent(Object.entries(each).find(([key]) => key === name)?.[1] ?? 0),
        ),
      ]),
      ['first bottleneck as they grow', ...columns.map(() => firstLimit(inputs))],
      [
        'the next, older events archived and requests merged',
        ...columns.map(() => firstLimit(inputs, (name) => LAST.includes(name))),
      ],
      [
        'databases (cells), older events archived',
        ...shares.map((each) => round(countCells(each))),
      ],
    ]),
    'A month at these prices, $:\n',
    table(head, [
      ['processor', ...prices.map(({ processor }) => round(processor))],
      ['in all, without an archive', ...prices.map(({ plain }) => round(plain))],
      ['in all, with an archive', ...prices.map(({ archived }) => round(archived))],
    ]),
    'One database reaches its limit at:\n',
    table(
      ['Limit', 'Events a day'],
      Object.entries(limits(measure(GIGA, inputs), inputs))
        .toSorted(([, one], [, other]) => other - one)
        .map(([name, share]) => [name, count(GIGA / share)]),
    ),
    'Inputs (`npm run scale-plan -- --retentionDays 7` changes one):\n',
    table(
      ['Input', 'Value', 'Meaning', 'Origin'],
      Object.entries(INPUTS).map(([name, [, meaning, origin]]) => [
        `\`${name}\``,
        Object.entries(inputs)
          .find(([key]) => key === name)?.[1]
          .toLocaleString('en') ?? '',
        meaning,
        origin,
      ]),
    ),
  ].join('\n')
}

const COLUMNS = [10 * MEGA, 100 * MEGA, GIGA]

/** @param {Readonly<Record<string, unknown>>} given texts by name @returns {Inputs} */
function readInputs(given) {
  const entries = Object.entries(INPUTS).map(([name, [fallback]]) => {
    const value = given[name] === undefined ? fallback : Number(given[name])
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0.`)
    return [name, value]
  })
  // The names are those of INPUTS.
  return Object.fromEntries(entries)
}

export function pages() {
  const written = fs.readFileSync(PAGE, 'utf8')
  const [before = '', rest = ''] = written.split(BEGIN)
  const after = rest.slice(rest.indexOf(END))
  return { written, wanted: `${before}${BEGIN}${plan(COLUMNS, readInputs({}))}${after}` }
}

function main() {
  const options = Object.fromEntries(
    Object.keys(INPUTS).map((name) => [name, { type: /** @type {const} */ ('string') }]),
  )
  const { values } = parseArgs({
    options: { ...options, events: { type: 'string' }, write: { type: 'boolean' } },
  })
  const { events, write, ...given } = values
  if (write === true) return fs.writeFileSync(PAGE, pages().wanted)
  const columns = typeof events === 'string' ? events.split(',').map(Number) : COLUMNS
  if (!columns.every((each) => each > 0))
    throw new Error('--events must be numbers above 0, separated by commas.')
  process.stdout.write(plan(columns, readInputs(given)))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()

// The production build has no names, so this process runs the server's code for batches itself, under V8's profiler, against the database
// of a running product. `npm run bench -- --only ingest` starts it, with a data folder and API keys as arguments.
import fs from 'node:fs'
import inspector from 'node:inspector/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { openInstallation } from '../scripts/installation.mjs'
import { packed, saturate, shareOut } from './ingest.mjs'
import { ROOT } from './product.mjs'
import { recordSession, toPieces } from './recorded-session.mjs'
import { note, row } from './report.mjs'

const AGENTS = 64
const SESSIONS = 600
const WARM_SESSIONS = 200

/** By path of the nearest function on the stack that belongs to one of them; the first that matches counts. */
const STAGES = [
  ['inflate, split into lines', /^(packages\/wire\/src|server\/ingest)\/batch-lines\.ts/],
  ['hash', /^server\/ingest\/event-hash\.ts/],
  ['parse, validate', /^(packages\/wire\/|server\/ingest\/incoming\.ts|node_modules\/zod\/)/],
  ['recompute decisions', /^packages\/core\//],
  ['rows, counts', /^(server\/ingest\/|node_modules\/prom-client\/)/],
  ['statements', /^(server\/platform\/db\/|node_modules\/(pg|@prisma))/],
  ['request, key, turn', /^server\//],
]
const COLLECTION = 'collect garbage'
const OTHER = 'Node.js, other'

async function bundle() {
  const folder = path.join(ROOT, 'node_modules/.cache/signalbox')
  fs.mkdirSync(folder, { recursive: true })
  const file = path.join(folder, 'ingest-stages.mjs')
  await build({
    stdin: {
      contents: `
        export { storeEvents } from '@/server/http/ingest-events.ts'
        export { requireKeyScope } from '@/server/platform/auth/api-key.ts'
        export { resetAll } from '@/server/platform/base/process-memory.ts'`,
      resolveDir: ROOT,
    },
    absWorkingDir: ROOT,
    tsconfig: path.join(ROOT, 'tsconfig.json'),
    alias: { 'server-only': './scripts/empty-module.mjs' },
    outfile: file,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'error',
  })
  return file
}

/** Returns the source file of a line of the bundle; esbuild begins each with a comment. @param {string} file */
function readPlaces(file) {
  let place = ''
  const places = fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => {
      place = /^\/\/ ((?:server|packages)\/\S+)$/.exec(line)?.[1] ?? place
      return place
    })
  return (line) => places[line] ?? ''
}

/** Returns shares by stage. The samples show when the thread waited for a processor, too, so their times are no costs. */
function findShares({ nodes, samples, timeDeltas }, { url, placeOf }) {
  const parents = new Map()
  const byId = new Map()
  for (const node of nodes) {
    byId.set(node.id, node)
    for (const child of node.children ?? []) parents.set(child, node.id)
  }
  const known = new Map()
  const findStage = (id) => {
    if (id === undefined) return OTHER
    const found = known.get(id)
    if (found !== undefined) return found
    const { functionName, url: from, lineNumber } = byId.get(id).callFrame
    const place =
      from === url ? placeOf(lineNumber) : from.slice(Math.max(0, from.indexOf('node_modules/')))
    const stage =
      functionName === '(garbage collector)'
        ? COLLECTION
        : (STAGES.find(([, paths]) => paths.test(place))?.[0] ?? findStage(parents.get(id)))
    known.set(id, stage)
    return stage
  }
  const sums = new Map()
  let total = 0
  for (const [i, id] of samples.entries()) {
    if (byId.get(id).callFrame.functionName === '(idle)') continue
    const stage = findStage(id)
    sums.set(stage, (sums.get(stage) ?? 0) + timeDeltas[i])
    total += timeDeltas[i]
  }
  return (stage) => (sums.get(stage) ?? 0) / total
}

async function main([folder, ...keys]) {
  const installation = await openInstallation({ variables: {}, folder })
  Object.assign(process.env, installation.env, { SIGNALBOX_URL: 'http://127.0.0.1' })
  const file = await bundle()
  const code = { url: pathToFileURL(file).href, placeOf: readPlaces(file) }
  const { storeEvents, requireKeyScope, resetAll } = await import(code.url)
  const config = JSON.parse(
    fs.readFileSync(path.join(ROOT, 'examples/demo-agent/configs/release-notes.json'), 'utf8'),
  )
  const record = (count) => Promise.all(Array.from({ length: count }, () => recordSession(config)))
  const send = async (connection, body) => {
    const headers = {
      authorization: `Bearer ${keys[connection % keys.length]}`,
      'content-encoding': 'gzip',
      'content-length': String(body.length),
    }
    const request = new Request('http://127.0.0.1/', { method: 'POST', headers, body })
    try {
      const { stored } = await storeEvents(await requireKeyScope(request, 'ingest'), request)
      return stored
    } catch (error) {
      if (error.input?.status === 429) return 0
      throw error
    }
  }
  const session = new inspector.Session()
  session.connect()
  await session.post('Profiler.enable')
  const kinds = [
    {
      name: 'live agents, 20 events a request',
      toLists: (sessions) =>
        shareOut(sessions, AGENTS).map((own) => own.flatMap(toPieces).map(packed)),
    },
    {
      name: 'one whole session, 187 events',
      toLists: (sessions) => shareOut(sessions.map(packed), 8),
    },
  ]
  for (const { name, toLists } of kinds) {
    await saturate(toLists(await record(WARM_SESSIONS)), send)
    const lists = toLists(await record(SESSIONS))
    await session.post('Profiler.start')
    const before = process.cpuUsage()
    const { stored } = await saturate(lists, send)
    const { user, system } = process.cpuUsage(before)
    const readShare = findShares((await session.post('Profiler.stop')).profile, code)
    const each = (share) => `${(((user + system) * share) / stored).toFixed(1)} µs`
    row(`${name}, without HTTP`, { figure: `${each(1)} an event` })
    for (const stage of [...STAGES.map(([named]) => named), COLLECTION, OTHER]) {
      const share = readShare(stage)
      note(`  ${stage}: ${each(share)}, ${(share * 100).toFixed(0)}%`)
    }
  }
  session.disconnect()
  await resetAll()
  await installation.close()
}

await main(process.argv.slice(2))

// @ts-check
// npm run bench [-- --only decision,peers]: prints the figures of this machine as one table. Without --only: all benchmarks.
import { parseArgs } from 'node:util'
import { prepare } from '../scripts/build-steps.mjs'
import { heading } from './report.mjs'

const NAMES = [
  'decision',
  'content',
  'shadow',
  'replay',
  'peers',
  'prevent',
  'prove',
  'learn',
  'size',
  'ingest',
  'commits',
  'queries',
  'live',
  'hooks',
  'mcp',
  'distribution',
  'fleet',
  'backtest',
  'pages',
]

const { values, positionals } = parseArgs({
  options: { only: { type: 'string', multiple: true } },
  allowPositionals: true,
})
const asked = [...(values.only ?? []), ...positionals].flatMap((names) => names.split(','))
const unknown = asked.filter((name) => !NAMES.includes(name))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${NAMES.join(', ')}.`)
  process.exit(2)
}
const chosen = NAMES.filter((name) => asked.length === 0 || asked.includes(name))
// Only these benchmarks need the console's server.
await prepare({
  web: chosen.some((name) =>
    ['ingest', 'queries', 'live', 'distribution', 'fleet', 'backtest', 'pages'].includes(name),
  ),
})
heading()
for (const name of chosen) {
  const bench = await import(new URL(`./${name}.mjs`, import.meta.url).href)
  await bench.run()
}

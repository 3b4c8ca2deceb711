// Replay in memory on one core: recorded logs through `replay`, built before the clock starts.
import { initialState, replay } from '@signalbox/core'
import { perSecond, row, section } from './report.mjs'
import { compiled, ordinaryDocument, recordedLog } from './rules.mjs'

const LOG = 100_000
const LOGS = 10
const BAR = 1_000_000

function replayed(config, log) {
  let effects = 0
  for (const _ of replay(config, log)) effects += 1
  return effects
}

function measure(config, log) {
  replayed(config, log)
  const from = process.hrtime.bigint()
  for (let i = 0; i < LOGS; i++) replayed(config, log)
  return (log.length * LOGS) / (Number(process.hrtime.bigint() - from) / 1e9)
}

export function run() {
  section(
    `Replay in memory, one core: ${LOGS} logs of ${LOG.toLocaleString('en')} events under an ordinary config`,
  )
  const config = compiled(ordinaryDocument())
  const log = recordedLog(config, initialState(config.promptName), LOG)
  const bare = log
    .filter(({ type }) => type === 'tool.requested' || type === 'tool.invoked')
    .map((event, i) => ({ ...event, seq: i + 1 }))
  const recorded = measure(config, log)
  row('as recorded: calls, decisions, results', {
    figure: perSecond(recorded, 1, 'events'),
    bars: [{ text: '≥ 1,000,000 events/s', met: recorded >= BAR }],
  })
  row('calls and results only', { figure: perSecond(measure(config, bare), 1, 'events') })
}

import { initialState } from '@signalbox/core'
import { replay } from '@signalbox/core/analysis'
import { compiled, ordinaryDocument, recordedLog } from './base/rules.mjs'
import { perSecond, row, section } from './report.mjs'

/** The longest log is larger than the processor's cache, so that reading it costs as much as folding it. */
const LENGTHS = [1_000, 10_000, 100_000]
const EVENTS = 1_000_000
const BAR = 1_000_000

function replayed(config, log) {
  let effects = 0
  for (const _ of replay(config, log)) effects += 1
  return effects
}

/** Events per second of processor time, over `EVENTS` events; one log before that warms up. */
function measure(config, log) {
  const times = EVENTS / log.length
  replayed(config, log)
  const before = process.cpuUsage()
  for (let i = 0; i < times; i++) replayed(config, log)
  const { user, system } = process.cpuUsage(before)
  return (log.length * times) / ((user + system) / 1e6)
}

export function run() {
  section(
    `Replay in memory, a second of one core: ${EVENTS.toLocaleString('en')} events under an ordinary config, one session again and again`,
  )
  const config = compiled(ordinaryDocument())
  for (const length of LENGTHS) {
    const log = recordedLog(config, initialState(config.promptName), length)
    const reached = measure(config, log)
    row(`session of ${length.toLocaleString('en')} events, decisions included`, {
      figure: perSecond(reached, 1, 'events'),
      bars: [{ text: '≥ 1,000,000 events/s', met: reached >= BAR }],
    })
    const bare = log
      .filter(({ type }) => type === 'tool.requested' || type === 'tool.invoked')
      .map((event, i) => ({ ...event, seq: i + 1 }))
    row('  its calls and results only', { figure: perSecond(measure(config, bare), 1, 'events') })
  }
}

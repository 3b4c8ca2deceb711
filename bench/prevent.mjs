// The change that would have prevented an incident: the time to the first verified answer over 10,000 good sessions, in memory.
import { performance } from 'node:perf_hooks'
import { compileConfig } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { backtestGood, openPrevent } from '@signalbox/core/prevent'
import { HELD_OUT, makeWorld, tellSession, toConfig } from '@signalbox/testkit'
import { note, row, section } from './report.mjs'

const SESSIONS = 10_000
const MOST_MS = 10_000
/** Sessions of which the whole backtest is timed. */
const WHOLE = 500

const FRESH = { kind: 'fresh', tool: 'deploy', needs: 'run_tests', since: 'write_file' }
const FINISH = { kind: 'finish', needs: 'run_tests', since: 'write_file' }
const READ = { kind: 'read', tool: 'write_file', reader: 'read_file' }
const RULES = [FRESH, FINISH, READ]

const INCIDENTS = [
  ['an outdated prerequisite', { breaks: FRESH }],
  ['an unread file', { breaks: READ }],
  ['a stop without tests', { breaks: FINISH }],
  ['an argument', { makes: { tool: 'bash', args: { command: 'git push --force origin main' } } }],
]

export async function run() {
  section(`Prevent: the first verified change over ${SESSIONS} good sessions`)
  const ran = compiled(toConfig([]))
  const world = { ...makeWorld(5), rules: RULES }
  const good = Array.from({ length: SESSIONS }, (_, i) => tellSession(world, i).events)
  const events = good.reduce((sum, session) => sum + session.length, 0)
  note(`${events.toLocaleString('en-GB')} events in memory`)
  for (const [name, incident] of INCIDENTS) {
    const told = tellSession(world, HELD_OUT, { incident })
    const from = performance.now()
    const opened = openPrevent(ran, told.events, told.incident)
    if (!opened.ok) throw new Error(JSON.stringify(opened.fault))
    for (const session of good) opened.prevent.addGood(session)
    const read = performance.now() - from
    const { candidates, used } = opened.prevent.candidates({ keep: 1 })
    const first = performance.now() - from
    const [{ sentence, document, denies }] = candidates
    opened.prevent.candidates()
    const five = performance.now() - from - first
    row(name, {
      figure: `${(first / 1000).toFixed(1)} s`,
      bars: [{ text: `≤ ${MOST_MS / 1000} s`, met: first <= MOST_MS }],
    })
    const whole = timeWhole(ran, compiled(document), good)
    note(`${sentence}; refuses ${denies} sessions`)
    note(
      `${used.calls} good ones; reading ${(read / 1000).toFixed(1)} s, all answers ${(five / 1000).toFixed(1)} s; the whole backtest of one change would take ${(whole / 1000).toFixed(1)} s`,
    )
  }
}

/** Milliseconds for all sessions, from those of a part. */
function timeWhole(ran, changed, good) {
  const from = performance.now()
  for (const session of good.slice(0, WHOLE)) backtestGood(ran, changed, session)
  return ((performance.now() - from) * good.length) / WHOLE
}

function compiled(document) {
  const result = compileConfig(document, { expressions: celExpressions() })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

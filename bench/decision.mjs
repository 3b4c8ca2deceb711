import { initialState, step } from '@signalbox/core'
import {
  buildEvent,
  buildPath,
  compiled,
  fileFacts,
  grow,
  measureTimes,
  RULES,
  rulesDocument,
} from './base/rules.mjs'
import { percentile, row, section } from './report.mjs'

const SAMPLES = 5000
const ROUNDS = 10
/** Length of a long session; a longer one must not cost more. */
const USUAL = 10_000
const HISTORIES = [100, USUAL, 1_000_000]

function questions(state) {
  return Array.from({ length: 512 }, (_, i) => {
    const path = i % 2 === 0 ? buildPath(i % 16) : `new/${buildPath(i)}`
    return buildEvent(state.seq + 1, 'tool.requested', {
      call_id: 'probe',
      tool: 'write_file',
      args: { path },
      facts: fileFacts(path),
    })
  })
}

/** Sessions take turns, so that a temporary slowdown of the machine affects all of them. */
function measure(config, states) {
  const runs = states.map((state) => ({ state, asked: questions(state), times: [] }))
  for (let round = -1; round < ROUNDS; round++) {
    for (const { state, asked, times } of runs) {
      const measured = measureTimes(SAMPLES, (i) => step(config, state, asked[i % asked.length]))
      if (round >= 0) times.push(...measured)
    }
  }
  return runs.map(({ times }) => times.sort((x, y) => x - y))
}

function decisions(all, answering) {
  section(`One decision: ${RULES} rules, ${answering} of them answer; half of the calls are denied`)
  const config = compiled(rulesDocument({ all }))
  const histories = all ? HISTORIES.slice(0, 2) : HISTORIES
  const states = []
  for (const events of histories) {
    states.push(grow(config, states.at(-1) ?? initialState(config.promptName), events))
  }
  const measured = measure(config, states)
  const usual = percentile(measured[histories.indexOf(USUAL)], 0.5)
  for (const [i, events] of histories.entries()) {
    const times = measured[i]
    const growth = percentile(times, 0.5) / usual
    row(`after ${events.toLocaleString('en')} events`, {
      times,
      figure: events > USUAL ? `${growth.toFixed(2)}× of ${USUAL.toLocaleString('en')}` : '',
      bars: all ? [] : [...checkLatencyBars(times), ...growthBars(events, growth)],
    })
  }
}

function checkLatencyBars(times) {
  return [
    { text: 'p50 ≤ 4 µs', met: percentile(times, 0.5) <= 4 },
    { text: 'p99 ≤ 50 µs', met: percentile(times, 0.99) <= 50 },
  ]
}

function growthBars(events, growth) {
  return events > USUAL ? [{ text: '≤ 1.1×', met: growth <= 1.1 }] : []
}

export function run() {
  decisions(false, RULES / 5)
  decisions(true, RULES)
}

import { setFlagsFromString } from 'node:v8'
import { measureTimes, RULES, rulesDocument } from './base/rules.mjs'
import { cedar } from './peers/cedar.mjs'
import { opa } from './peers/opa.mjs'
import { randomCall, randomFrom, randomSession } from './peers/question.mjs'
import { signalbox } from './peers/signalbox.mjs'
import { note, percentile, row, section } from './report.mjs'

const SEED = 20_261_121
const SESSIONS = 60
const CALLS_EACH = 10
const ROUNDS = 20
const ASKED = 256
const HISTORIES = [
  { events: 100, files: 20 },
  { events: 10_000, files: 1000 },
]

/** Products that guard agents but cannot answer this question, each with the reason. */
const NOT_ASKED = [
  '@openai/guardrails 0.2.1: its checks judge texts (patterns, keywords, a model’s opinion); a rule over earlier calls would be our own function.',
  '@ai-sdk/policy-opa 1.0.112: no engine of its own; it passes the question to OPA, which is measured above, and is pinned to another version of ai.',
  'ai 7 toolApproval: calls a function of the host; it has no rules that could be compared.',
]

// V8 of Node 20 crashes ("unreachable code" in its deoptimizer) when it inlines wasm-bindgen's calls into hot code. Without inlining, a
// call costs some nanoseconds more, a thousandth of the measured time.
setFlagsFromString('--no-turbo-inline-js-wasm-calls')

/** Throws at the first question that two engines answer differently. */
function compareAnswers(engines, random) {
  let allowed = 0
  for (let i = 0; i < SESSIONS; i++) {
    const session = randomSession(random, { calls: Math.floor(random() * 60) })
    const asks = engines.map((engine) => ({ engine, input: engine.prepare(session) }))
    for (let k = 0; k < CALLS_EACH; k++) {
      const call = randomCall(random)
      const answers = asks.map(({ engine, input }) => engine.ask(input(call)))
      const other = answers.findIndex((answer) => answer !== answers[0])
      if (other >= 0) {
        throw new Error(
          `${engines[other]?.name} says ${answers[other]}, ${engines[0]?.name} says ${answers[0]} to ${JSON.stringify(call)} (seed ${SEED}, session ${i})`,
        )
      }
      if (answers[0]) allowed += 1
    }
  }
  return allowed
}

/** Engines take turns, so that a temporary slowdown of the machine affects all of them. */
function measure(engines, random, { events, files }) {
  const session = randomSession(random, { calls: events / 2, files })
  const calls = Array.from({ length: ASKED }, () =>
    randomCall(random, { files, tool: 'write_file' }),
  )
  const runs = engines.map((engine) => ({
    engine,
    inputs: calls.map(engine.prepare(session)),
    times: [],
  }))
  for (let round = -1; round < ROUNDS; round++) {
    for (const { engine, inputs, times } of runs) {
      const measured = measureTimes(ASKED, (i) => engine.ask(inputs[i]))
      if (round >= 0) times.push(...measured)
    }
  }
  return runs.map(({ engine, times }) => ({
    name: engine.name,
    times: times.sort((a, b) => a - b),
  }))
}

function print(measured) {
  const ours = measured[0]?.times ?? []
  for (const { name, times } of measured) {
    const [half, most] = [0.5, 0.99].map(
      (share) => percentile(times, share) / percentile(ours, share),
    )
    row(name, {
      times,
      figure: times === ours ? '1×' : `${half.toFixed(1)}× / ${most.toFixed(1)}× ours`,
      bars: times === ours ? [] : [{ text: 'p50 slower than ours', met: half > 1 }],
    })
  }
}

export async function run() {
  const random = randomFrom(SEED)
  const document = rulesDocument()
  const engines = [
    signalbox(document),
    cedar(document, 'facts'),
    cedar(document, 'session'),
    ...(await opa(document)),
  ]
  section(`Peers: may this call run in this session? ${RULES} rules, ${RULES / 5} concern it`)
  const allowed = compareAnswers(engines, random)
  const asked = SESSIONS * CALLS_EACH
  note(
    `${asked} random questions (seed ${SEED}): ${engines.length} engines agree; ${allowed} allowed, ${asked - allowed} denied.`,
  )
  note(
    `One process, engines in turn, ${ROUNDS} rounds of ${ASKED} questions after one to warm up; policies parsed and`,
  )
  note(
    'requests built beforehand. Ours folds the session, resolves the path and explains; the others get both done by us.',
  )
  note(
    'At a few µs a p99 is a pause of the collector or the machine: the ratio is printed, the bar is the p50’s.',
  )
  for (const history of HISTORIES) {
    note(`session of ${history.events.toLocaleString('en')} events, ${history.files} files`)
    print(measure(engines, random, history))
  }
  for (const why of NOT_ASKED) note(`not measured: ${why}`)
}

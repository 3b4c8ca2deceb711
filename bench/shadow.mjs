// beforeToolCall of a session that is evaluated twice, against one that is evaluated once.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createGuardrails } from '@signalbox/runtime'
import { FakeControlPlane } from '@signalbox/testkit'
import { computeDigest } from '@signalbox/wire'
import { RULES, rulesDocument } from './base/rules.mjs'
import { percentile, row, section } from './report.mjs'

const CALLS = 2000
const ROUNDS = 5

async function started(folder, shadow) {
  const plane = new FakeControlPlane()
  await plane.start()
  const document = { ...rulesDocument({ all: false }), ns: 'bench', key: 'shadow' }
  const other = { ...document, description: 'the same rules' }
  const parts = { shadow: { version: 2, digest: computeDigest(other), document: other } }
  plane.publishBeside(document, shadow ? parts : {})
  plane.setPollSeconds(3600)
  const guardrails = createGuardrails({
    url: plane.url,
    apiKey: plane.apiKey,
    prompt: 'bench/shadow',
    dataDir: path.join(folder, shadow ? 'with' : 'without'),
  })
  await guardrails.ready()
  return { plane, guardrails, times: [] }
}

async function calls({ guardrails, times }, isCounted) {
  const files = { lookUp: async () => ({ exists: false }) }
  const session = guardrails.openSession({ files })
  for (let i = 0; i < CALLS; i++) {
    const call = { tool: 'write_file', args: { path: `src/${i % 64}.ts` }, callId: `c${i}` }
    const before = performance.now()
    await session.beforeToolCall(call)
    if (isCounted) times.push((performance.now() - before) * 1000)
    await session.afterToolCall({ ...call, outcome: 'success' })
  }
  await session.end({ reason: 'completed' })
}

export async function run() {
  section(
    `A live answer beside a shadow version: ${RULES} rules each, files looked up, events written to disk`,
  )
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-bench-'))
  const without = await started(folder, false)
  const beside = await started(folder, true)
  // The two alternate, so that a temporary slowdown of the machine affects both.
  for (let round = -1; round < ROUNDS; round++) {
    for (const each of [without, beside]) await calls(each, round >= 0)
  }
  const times = [without, beside].map((each) => each.times.sort((x, y) => x - y))
  const ratio = percentile(times[1], 0.5) / percentile(times[0], 0.5)
  row('one version', { times: times[0], bars: [] })
  row('with a shadow version', {
    times: times[1],
    figure: `${ratio.toFixed(2)}×`,
    bars: [{ text: '≤ 2.2×', met: ratio <= 2.2 }],
  })
  for (const { guardrails, plane } of [without, beside]) {
    await guardrails.close(5000)
    await plane.stop()
  }
  fs.rmSync(folder, { recursive: true, force: true })
}

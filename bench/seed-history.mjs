// @ts-check
// Adds weeks of sessions under two versions of a config to a running control plane, through the ingest that runtimes use:
//   node bench/seed-history.mjs --url http://127.0.0.1:3000 --data <its data folder> [--days 21] [--sessions 240] [--events 160]
// The administrator of this folder's bench publishes the versions to dev; their releases have the current time.
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { celExpressions } from '@signalbox/core/expression'
import { createGuardrails } from '@signalbox/runtime'
import { fakeClock, STORY_CONFIG, Story } from '@signalbox/testkit'
import { signedIn } from './product.mjs'
import { STORY_PROMPT, sendLines } from './story-session.mjs'
import { buildVersions, publishVersions } from './story-versions.mjs'

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:3000' },
    data: { type: 'string' },
    days: { type: 'string', default: '21' },
    sessions: { type: 'string', default: '240' },
    events: { type: 'string', default: '160' },
  },
})
if (values.data === undefined) {
  console.error('Specify the data folder of the control plane with --data <folder>.')
  process.exit(2)
}
const secrets = JSON.parse(fs.readFileSync(path.join(values.data, 'secrets.json'), 'utf8'))
const [days, count, events] = [values.days, values.sessions, values.events].map(Number)
const HOUR = 3_600_000

const VERSIONS = buildVersions(STORY_PROMPT)

/** A session that begins at `at`. Every third has a short deadline, so that some stops are bypassed; every ninth is aborted. */
async function tell(index, at) {
  const lines = []
  const clock = fakeClock(at)
  const story = new Story({ seed: index + 1, clock })
  const config = VERSIONS[index < count * 0.6 ? 0 : 1] ?? STORY_CONFIG
  const guardrails = createGuardrails({
    config,
    expressions: celExpressions(),
    now: clock.now,
    onEvent: (line) => lines.push(line),
  })
  const minutes = index % 3 === 0 ? 8 : 45
  const session = guardrails.openSession({
    files: story.files,
    workspaceRoot: '/shop',
    deadlineAt: at + minutes * 60_000,
  })
  await story.tell(session, events * (0.5 + (index % 7) / 7))
  await session.end({
    reason: index % 9 === 0 ? 'aborted' : index % 13 === 0 ? 'failed' : 'completed',
  })
  await guardrails.close()
  return lines
}

await publishVersions(
  await signedIn({ url: values.url, setupToken: secrets.setupToken }),
  STORY_PROMPT,
)
const from = Date.now() - days * 24 * HOUR
let stored = 0
let waiting = []
for (let index = 0; index < count; index += 1) {
  const spread = ((index + 0.5) / count) * (Date.now() - HOUR - from)
  waiting.push(...(await tell(index, Math.round(from + spread))))
  if (waiting.length < 5_000 && index < count - 1) continue
  await sendLines({ url: values.url, key: secrets.demoKey }, waiting)
  stored += waiting.length
  waiting = []
}
console.log(
  `${count} sessions, ${stored} events over ${days} days: ${values.url}/analytics?range=30d`,
)

// @ts-check
// Adds a long session to a running control plane, through the ingest that runtimes use, or lets one grow:
//   node bench/seed-session.mjs --url http://127.0.0.1:3000 --data <its data folder> [--events 50000] [--seed 1]
//   node bench/seed-session.mjs … --live 50 --seconds 60 [--also]      (--also: also adds the long one)
// Unless --no-publish is given, the administrator of this folder's bench first publishes the config of the story to dev.
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { signedIn } from './product.mjs'
import { liveStory, publishStory, sendLines, tellStory } from './story-session.mjs'

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:3000' },
    data: { type: 'string' },
    events: { type: 'string', default: '50000' },
    seed: { type: 'string', default: '1' },
    live: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    also: { type: 'boolean', default: false },
    'no-publish': { type: 'boolean', default: false },
  },
})
if (values.data === undefined) {
  console.error('Specify the data folder of the control plane with --data <folder>.')
  process.exit(2)
}
const url = values.url
const secrets = JSON.parse(fs.readFileSync(path.join(values.data, 'secrets.json'), 'utf8'))
const seed = Number(values.seed)

const isLong = values.live === undefined || values.also
const from = performance.now()
// Before the first request to the server, because generating blocks this process longer than an idle connection is kept.
const story = isLong ? await tellStory({ seed, events: Number(values.events) }) : null
const storyAt = performance.now()
if (!values['no-publish'])
  await publishStory(await signedIn({ url, setupToken: secrets.setupToken }))
if (story !== null) {
  const sending = performance.now()
  await sendLines({ url, key: secrets.demoKey }, story.lines)
  const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`
  console.log(
    `${story.lines.length} events, generated in ${seconds(storyAt - from)}, stored in ${seconds(performance.now() - sending)}`,
  )
  console.log(`${url}/sessions/${story.id}`)
}
if (values.live !== undefined) {
  let newest = ''
  await liveStory({
    url,
    key: secrets.demoKey,
    seed,
    perSecond: Number(values.live),
    signal: AbortSignal.timeout(Number(values.seconds) * 1000),
    onSent: ({ id, seq }) => {
      if (newest === '') console.log(`${url}/sessions/${id}`)
      newest = `${id}: ${seq} events`
    },
  })
  console.log(newest)
}

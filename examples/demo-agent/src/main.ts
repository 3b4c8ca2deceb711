// Command line of the demo agent: `node dist/main.js --url … --api-key … [--story NAME] [--demo] [--session ID] [--sessions N] [--speed X]`.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createGuardrails } from '@signalbox/runtime'
import { DEMO_NAMESPACE, DEMO_RUNTIME, newDemoSessionId } from '@signalbox/wire'
import { runSession } from './run-session.ts'
import { isStoryName, STORIES, type StoryName } from './stories/all.ts'

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

interface Settings {
  readonly url: string
  readonly apiKey: string
  readonly dataDir: string | undefined
  readonly story: StoryName
  /** The product runs it: no figure counts its sessions. */
  readonly isDemo: boolean
  /** Id of the first session of the demo. */
  readonly session: string | undefined
  readonly sessions: number
  readonly speed: number
}

/** Returns a sentence when the options are invalid. */
function settings(): Settings | string {
  try {
    const { values } = parseArgs({
      options: {
        url: { type: 'string', default: process.env['SIGNALBOX_URL'] ?? 'http://127.0.0.1:3000' },
        'api-key': { type: 'string', default: process.env['SIGNALBOX_DEMO_KEY'] ?? '' },
        'data-dir': { type: 'string' },
        story: { type: 'string', default: 'release-notes' },
        demo: { type: 'boolean', default: false },
        session: { type: 'string' },
        sessions: { type: 'string', default: '1' },
        speed: { type: 'string', default: '1' },
      },
    })
    const [sessions, speed] = [Number(values.sessions), Number(values.speed)]
    if (!Number.isInteger(sessions) || sessions < 1 || !(speed > 0))
      return 'Set --sessions to a whole number from 1, and --speed to a number above 0.'
    if (values['api-key'] === '')
      return 'The demo agent needs an API key. Start Signalbox with "npm start", or set --api-key.'
    const { url, 'api-key': apiKey, 'data-dir': dataDir, story, demo: isDemo, session } = values
    if (!isStoryName(story)) return `Set --story to one of ${Object.keys(STORIES).join(', ')}.`
    return { url, apiKey, dataDir, story, isDemo, session, sessions, speed }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function main(): Promise<number> {
  const given = settings()
  if (typeof given === 'string') {
    say(given)
    return 2
  }
  const { url, apiKey, dataDir, story, isDemo, session, sessions, speed } = given
  const guardrails = createGuardrails({
    url,
    apiKey,
    prompt: `${DEMO_NAMESPACE}/${story}`,
    name: isDemo ? DEMO_RUNTIME : 'demo-agent',
    harness: { name: 'ai-sdk', version: '7' },
    onDiagnostic: (diagnostic) => {
      if (diagnostic.level === 'error') say(`${diagnostic.code}: ${diagnostic.message}`)
    },
    ...(dataDir === undefined ? {} : { dataDir }),
  })
  await guardrails.ready()
  const newDemo = () => newDemoSessionId({ now: Date.now(), random: randomBytes(16) })
  for (let i = 0; i < sessions; i++) {
    const id = isDemo ? { session: (i === 0 ? session : undefined) ?? newDemo() } : {}
    say(await runSession(guardrails, { story, speed, ...id }))
  }
  const trouble = guardrails.status()?.trouble ?? null
  await guardrails.close()
  if (trouble === null) return 0
  say(`Signalbox at ${url} was not reached (${trouble}). The events wait on disk for the next run.`)
  return 1
}

process.exitCode = await main()

// Command line of the demo agent: `node dist/main.js --url … --api-key … [--sessions N] [--speed X]`.
import { parseArgs } from 'node:util'
import { createGuardrails } from '@signalbox/runtime'
import { runSession } from './run-session.ts'

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

interface Settings {
  readonly url: string
  readonly apiKey: string
  readonly dataDir: string | undefined
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
        sessions: { type: 'string', default: '1' },
        speed: { type: 'string', default: '1' },
      },
    })
    const [sessions, speed] = [Number(values.sessions), Number(values.speed)]
    if (!Number.isInteger(sessions) || sessions < 1 || !(speed > 0))
      return 'Set --sessions to a whole number from 1, and --speed to a number above 0.'
    if (values['api-key'] === '')
      return 'The demo agent needs an API key. Start Signalbox with "npm start", or set --api-key.'
    const { url, 'api-key': apiKey, 'data-dir': dataDir } = values
    return { url, apiKey, dataDir, sessions, speed }
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
  const { url, apiKey, dataDir, sessions, speed } = given
  const guardrails = createGuardrails({
    url,
    apiKey,
    prompt: 'demo/release-notes',
    name: 'demo-agent',
    harness: { name: 'ai-sdk', version: '7' },
    onDiagnostic: (diagnostic) => {
      if (diagnostic.level === 'error') say(`${diagnostic.code}: ${diagnostic.message}`)
    },
    ...(dataDir === undefined ? {} : { dataDir }),
  })
  await guardrails.ready()
  for (let i = 0; i < sessions; i++) say(await runSession(guardrails, speed))
  const trouble = guardrails.status()?.trouble ?? null
  await guardrails.close()
  if (trouble === null) return 0
  say(`Signalbox at ${url} was not reached (${trouble}). The events wait on disk for the next run.`)
  return 1
}

process.exitCode = await main()

// @ts-check
// npm run demo: against the Signalbox that runs on this data folder, because its key is for that one. Options are those of the agent; no
// figure counts its sessions.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describeError } from '../server/platform/base/failure.mjs'
import { prepare, ROOT } from './build-steps.mjs'
import { dataFolder, servedAddress } from './data-folder.mjs'

function readDemoKey() {
  const file = path.join(dataFolder(), 'secrets.json')
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).demoKey : ''
}

/** Throws when no Signalbox runs on the data folder. */
function servedHere() {
  const address = servedAddress(dataFolder())
  if (address === null) {
    throw new Error(
      `No Signalbox runs on ${dataFolder()}. Start it with "npm start", or set SIGNALBOX_DATA_DIR to the folder of a running one.`,
    )
  }
  return { SIGNALBOX_URL: address, SIGNALBOX_DEMO_KEY: readDemoKey() }
}

try {
  const started = process.env.SIGNALBOX_DEMO_KEY !== undefined
  // A caller that names a server also provides its key.
  const isElsewhere = process.argv.some((word) => /^--(url|api-key)(=|$)/.test(word))
  const env = started || isElsewhere ? process.env : { ...process.env, ...servedHere() }
  if (!started) await prepare({ web: false })
  const agent = spawn(
    process.execPath,
    [
      path.join(ROOT, 'examples/demo-agent/dist/main.js'),
      '--data-dir',
      path.join(dataFolder(), 'demo'),
      '--demo',
      ...process.argv.slice(2),
    ],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env,
    },
  )
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
    process.on(signal, () => agent.kill(signal))
  agent.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
} catch (error) {
  process.stderr.write(`${describeError(error)}\n`)
  process.exitCode = 1
}

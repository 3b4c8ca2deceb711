// @ts-check
// npm run demo: one session of the demo agent against the Signalbox that runs here. Options are those of the agent.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { prepare, ROOT } from './build-steps.mjs'
import { dataFolder } from './data-folder.mjs'
import { messageOf } from './failure.mjs'

function keyOf() {
  const file = path.join(dataFolder(), 'secrets.json')
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).demoKey : ''
}

try {
  const started = process.env.SIGNALBOX_DEMO_KEY !== undefined
  if (!started) await prepare({ web: false })
  const agent = spawn(
    process.execPath,
    [
      path.join(ROOT, 'examples/demo-agent/dist/main.js'),
      '--data-dir',
      path.join(dataFolder(), 'demo'),
      ...process.argv.slice(2),
    ],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, SIGNALBOX_DEMO_KEY: process.env.SIGNALBOX_DEMO_KEY ?? keyOf() },
    },
  )
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
    process.on(signal, () => agent.kill(signal))
  agent.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 1
}

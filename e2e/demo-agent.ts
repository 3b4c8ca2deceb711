// The agent of the demo as an agent like any other: figures, lists and alerts count its sessions.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { expect } from '@playwright/test'
import { DATA_DIR, ORIGIN, ROOT, secrets } from './product.ts'

export function startDemoAgent(): ChildProcess {
  return spawn(
    process.execPath,
    ['examples/demo-agent/dist/main.js', '--speed', '4', '--data-dir', path.join(DATA_DIR, 'demo')],
    {
      cwd: ROOT,
      env: { ...process.env, SIGNALBOX_URL: ORIGIN, SIGNALBOX_DEMO_KEY: secrets().demoKey },
      stdio: 'ignore',
    },
  )
}

export async function runDemoAgent(): Promise<void> {
  const [code] = await once(startDemoAgent(), 'exit')
  expect(code).toBe(0)
}

// An agent in Python in the compatibility kit: the bare loop of packages/python, in its own process, against a real daemon. It needs Debian's
// python3, which scripts/system-programs.mjs installs.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline'
import type { RecordedCapabilities } from '@signalbox/core'
import {
  buildEnvironment,
  type CompatHarness,
  type CompatOrder,
  type CompatOutcome,
  type CompatRun,
  FAKE_API_KEY,
  FakeControlPlane,
  jsonLines,
  type LabFolders,
  makeLabFolders,
} from '@signalbox/testkit'
import type { SessionOrderV1 } from '@signalbox/wire'
import { expect, vi } from 'vitest'
import { findPython } from '@/scripts/system-programs.mjs'
import { BENCH_TOOLS } from './compat-bench.ts'
import { textFilesIn } from './workspace-files.ts'

const PACKAGES = path.join(import.meta.dirname, '../../..')
const AGENT = path.join(PACKAGES, 'python/tests/kit_driver.py')
/** The command as users run it. */
const COMMAND = path.join(PACKAGES, 'cli/dist/bin/main.js')
/** Time in which an order arrives with a heartbeat. */
const SOON = { timeout: 20_000, interval: 20 }
const HOUR_MS = 3_600_000
/** Seconds that the client waits for an answer. */
const PATIENCE = { works: 30, hangs: 0.5 }

/** CUSTOM_LOOP of packages/python/src/signalbox/_model.py. */
const PYTHON_CAPABILITIES: RecordedCapabilities = {
  deny_reason: true,
  inject: 'in_result',
  block_stop: 'in_loop',
  max_blocks: null,
  structured: 'before_accept',
  structured_attempts: null,
  failure: 'event',
  call_ids: true,
  batch: 'parallel',
  on_guard_crash: 'closed',
  on_guard_timeout: 'closed',
  approval_seconds: null,
  replaces_arguments: true,
  replaces_results: true,
  ungoverned: [],
}

export const pythonSocketDriver: CompatHarness = {
  name: 'python (socket)',
  tested: 'signalbox 0.1.0 on Python 3.11',
  capabilities: PYTHON_CAPABILITIES,
  tools: BENCH_TOOLS,
  reportsUsage: true,
  run: (run) => runPython(run, 'socket'),
}

export const pythonTcpDriver: CompatHarness = {
  ...pythonSocketDriver,
  name: 'python (TCP)',
  run: (run) => runPython(run, 'TCP'),
}

async function runPython(run: CompatRun, way: 'socket' | 'TCP'): Promise<CompatOutcome> {
  const folders = makeLabFolders(run.files)
  const plane = run.orders === undefined ? null : await startPlane(run.config)
  const events = () => (plane === null ? eventsIn(daemon.events) : eventsAt(plane))
  const daemon = await startDaemon(run, folders, { way, plane })
  const agent = spawn(findPython(), [AGENT], {
    env: buildEnvironment({ PYTHONPATH: path.join(PACKAGES, 'python/src') }),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const { script, deadlineInMs, budget, guard } = run
    const answers = readline.createInterface({ input: agent.stdout })[Symbol.asyncIterator]()
    const say = async (message: object) => {
      agent.stdin.write(`${JSON.stringify(message)}\n`)
      return JSON.parse((await answers.next()).value ?? 'null')
    }
    await say({
      ...{ script, deadlineInMs, budget, workspace: folders.workspace, ...daemon.reach },
      state_folder: path.join(folders.home, 'state'),
      timeout: guard === 'hangs' ? PATIENCE.hangs : PATIENCE.works,
      has_orders: plane !== null,
    })
    if (guard === 'crashes') await endProcess(daemon.process, 'SIGKILL')
    if (guard === 'hangs') daemon.process.kill('SIGSTOP')
    let answer = await say({})
    while (answer.ended !== undefined) {
      if (plane !== null) await giveOrders(run, plane, answer.ended)
      answer = await say({})
    }
    const { requests, output } = answer
    daemon.process.kill('SIGCONT')
    await endProcess(daemon.process, 'SIGTERM')
    return {
      requests,
      output,
      files: textFilesIn(folders.workspace),
      events: events(),
    }
  } finally {
    agent.kill('SIGKILL')
    daemon.process.kill('SIGKILL')
    await plane?.stop()
    folders.remove()
  }
}

async function startPlane(config: CompatRun['config']): Promise<FakeControlPlane> {
  const plane = new FakeControlPlane()
  await plane.start()
  plane.giveOrders([])
  plane.publish(config)
  return plane
}

/** Signs the orders that are due for the only session, and waits until its daemon has recorded them. */
async function giveOrders(
  { orders = [] }: CompatRun,
  plane: FakeControlPlane,
  ended: number,
): Promise<void> {
  for (const [index, order] of orders.entries()) {
    if (order.afterCalls !== ended) continue
    await vi.waitFor(() => expect(plane.events.sessions()).toHaveLength(1), SOON)
    const [session = ''] = plane.events.sessions()
    plane.giveOrders([signable(order, { counter: index + 1, session })])
    await vi.waitFor(() => {
      const recorded = eventsAt(plane).filter(({ type }) => type === 'session.controlled')
      expect(recorded).toHaveLength(index + 1)
    }, SOON)
  }
}

function signable(
  { action, reason }: CompatOrder,
  at: { readonly counter: number; readonly session: string },
): SessionOrderV1 {
  const now = Date.now()
  return {
    session_order_version: 1,
    ...at,
    action,
    reason,
    by: 'Mira',
    at: now,
    expires_at: now + HOUR_MS,
  }
}

function eventsAt({ events }: FakeControlPlane): CompatOutcome['events'] {
  return events.sessions().flatMap((session) => parseEvents(events.text(session)))
}

function eventsIn(file: string): CompatOutcome['events'] {
  return fs.existsSync(file) ? parseEvents(fs.readFileSync(file, 'utf8')) : []
}

function parseEvents(text: string): CompatOutcome['events'] {
  return jsonLines(text) as unknown as CompatOutcome['events']
}

interface Daemon {
  readonly process: ChildProcess
  /** File with its events; none where it has a control plane. */
  readonly events: string
  /** Settings of the client. */
  readonly reach: { readonly address: string; readonly token_file?: string }
}

async function startDaemon(
  { config }: CompatRun,
  { home, workspace }: LabFolders,
  { way, plane }: { readonly way: 'socket' | 'TCP'; readonly plane: FakeControlPlane | null },
): Promise<Daemon> {
  // Others must not be able to enter the folder of the socket.
  const folder = path.join(home, 'daemon')
  fs.mkdirSync(folder, { mode: 0o700 })
  const file = (name: string) => path.join(folder, name)
  fs.writeFileSync(file('config.json'), JSON.stringify(config))
  const source =
    plane === null
      ? ['--config', file('config.json'), '--events', file('events.ndjson')]
      : ['--url', plane.url, '--prompt', `${config.ns}/${config.key}`]
  const words = ['daemon', ...source]
  words.push('--socket', file('daemon.sock'), '--port', 'off', '--root', workspace)
  if (way === 'TCP') words.push('--listen', '127.0.0.1:0')
  const child = spawn(process.execPath, [COMMAND, ...words], {
    env: buildEnvironment({ HOME: home, SIGNALBOX_API_KEY: FAKE_API_KEY }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const port = await waitForPort(child)
  const tcp = { address: `http://127.0.0.1:${port}`, token_file: file('agent.token') }
  return {
    process: child,
    events: file('events.ndjson'),
    reach: way === 'TCP' ? tcp : { address: file('agent.sock') },
  }
}

/** Waits until the daemon listens. Empty: it has no port. Rejects with its words when it does not start. */
function waitForPort(daemon: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let words = ''
    daemon.stderr?.on('data', (chunk: Buffer) => {
      words += chunk.toString()
      if (/^signalbox daemon: agents .*\n/m.test(words))
        resolve(/127\.0\.0\.1:(\d+)/.exec(words)?.[1] ?? '')
    })
    daemon.once('exit', () => reject(new Error(`The daemon did not start: ${words}`)))
  })
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

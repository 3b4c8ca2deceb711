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
  type CompatOutcome,
  type CompatRun,
  jsonLines,
  type LabFolders,
  makeLabFolders,
} from '@signalbox/testkit'
import { findPython } from '@/scripts/system-programs.mjs'
import { BENCH_TOOLS } from './compat-bench.ts'
import { textFilesIn } from './workspace-files.ts'

const PACKAGES = path.join(import.meta.dirname, '../../..')
const AGENT = path.join(PACKAGES, 'python/tests/kit_driver.py')
/** The command as users run it. */
const COMMAND = path.join(PACKAGES, 'cli/dist/bin/main.js')
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
  whyNoOrders: 'the daemon of the driver has no control plane that could give one',
  run: (run) => runPython(run, 'socket'),
}

export const pythonTcpDriver: CompatHarness = {
  ...pythonSocketDriver,
  name: 'python (TCP)',
  run: (run) => runPython(run, 'TCP'),
}

async function runPython(run: CompatRun, way: 'socket' | 'TCP'): Promise<CompatOutcome> {
  const folders = makeLabFolders(run.files)
  const daemon = await startDaemon(run, folders, way)
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
    })
    if (guard === 'crashes') await endProcess(daemon.process, 'SIGKILL')
    if (guard === 'hangs') daemon.process.kill('SIGSTOP')
    const { requests, output } = await say({})
    daemon.process.kill('SIGCONT')
    await endProcess(daemon.process, 'SIGTERM')
    const events = fs.existsSync(daemon.events) ? fs.readFileSync(daemon.events, 'utf8') : ''
    return {
      requests,
      output,
      files: textFilesIn(folders.workspace),
      events: jsonLines(events) as unknown as CompatOutcome['events'],
    }
  } finally {
    agent.kill('SIGKILL')
    daemon.process.kill('SIGKILL')
    folders.remove()
  }
}

interface Daemon {
  readonly process: ChildProcess
  /** File with its events. */
  readonly events: string
  /** Settings of the client. */
  readonly reach: { readonly address: string; readonly token_file?: string }
}

async function startDaemon(
  { config }: CompatRun,
  { home, workspace }: LabFolders,
  way: 'socket' | 'TCP',
): Promise<Daemon> {
  // Others must not be able to enter the folder of the socket.
  const folder = path.join(home, 'daemon')
  fs.mkdirSync(folder, { mode: 0o700 })
  const file = (name: string) => path.join(folder, name)
  fs.writeFileSync(file('config.json'), JSON.stringify(config))
  const words = ['daemon', '--config', file('config.json'), '--events', file('events.ndjson')]
  words.push('--socket', file('daemon.sock'), '--port', 'off', '--root', workspace)
  if (way === 'TCP') words.push('--listen', '127.0.0.1:0')
  const child = spawn(process.execPath, [COMMAND, ...words], {
    env: buildEnvironment({ HOME: home }),
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

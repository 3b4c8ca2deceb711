// One run of many calls, without hooks, with http hooks and with the shim. The model is scripted, so only Claude's own work and the hooks remain.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { claudeHookSettings } from '@signalbox/adapters/claude-code'
import { daemonPaths } from '../packages/cli/dist/daemon/daemon-paths.js'
import { writeShim } from '../packages/cli/dist/shim/write-shim.js'
import {
  launchClaude,
  makeLabFolders,
  startAnthropicServer,
  whyNotInstalled,
} from '../packages/testkit/dist/index.js'
import { note, percentile, row, section } from './report.mjs'

const ROOT = path.join(import.meta.dirname, '..')
const PORT = 3197
const CALLS = 40
const ROUNDS = 5
/** Before the call, after it, after the step. */
const HOOKS_A_CALL = 3
/** The limit was set on a machine where the usual `curl` to such a daemon took 5.9 ms; other machines compare the ratio. */
const SHIM_MS = 6
const SHIM_TO_CURL = SHIM_MS / 5.9
const SHIM_TO_SHELL = 3

const CONFIG = {
  schema_version: 1,
  ns: 'bench',
  key: 'hooks',
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { write_file: ['shell'] } },
  ],
}

export async function run() {
  section(
    `Claude Code: ${CALLS} calls of \`true\`, ${HOOKS_A_CALL} hooks a call, ${ROUNDS} runs each`,
  )
  const missing = whyNotInstalled('first')
  if (missing !== null) return note(missing)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-hooks-'))
  const daemon = await startDaemon(folder)
  try {
    await measureRaw(daemon)
    await measureClaude(daemon)
  } finally {
    daemon.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

async function startDaemon(folder) {
  const config = path.join(folder, 'config.json')
  const socket = path.join(folder, 'daemon.sock')
  fs.writeFileSync(config, JSON.stringify(CONFIG))
  const main = path.join(ROOT, 'packages/cli/dist/main.js')
  const args = ['daemon', '--config', config, '--socket', socket, '--port', String(PORT)]
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  await new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => String(chunk).includes('signalbox daemon:') && resolve())
    child.once('exit', (code) => reject(new Error(`the daemon ended with ${code}`)))
  })
  const paths = daemonPaths(socket, { env: {}, home: folder, cwd: folder })
  writeShim(paths, { node: process.execPath, entry: main })
  return {
    token: fs.readFileSync(paths.token, 'utf8').trim(),
    url: `http://127.0.0.1:${PORT}/hook/claude-code`,
    shim: `'${paths.shim}' claude-code`,
    stop: () => child.kill('SIGTERM'),
  }
}

/** Runs one hook at a time, without Claude. */
async function measureRaw({ url, token, shim }) {
  const payload = (n) =>
    JSON.stringify({
      session_id: 'raw',
      cwd: ROOT,
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'true' },
      tool_use_id: `raw_${n}`,
    })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const http = await timed(200, async (n) => {
    const answer = await fetch(url, { method: 'POST', headers, body: payload(n) })
    if ((await answer.text()) !== '{}') throw new Error('the daemon refused')
  })
  row('http hook alone', { times: http, unit: 'ms' })
  const command = spawned(shim, payload('c{n}'))
  row('shim alone', {
    times: command,
    unit: 'ms',
    bars: [{ text: `≤ ${SHIM_MS} ms`, met: percentile(command, 0.5) <= SHIM_MS }],
  })
  const shell = spawned('true', '')
  const toShell = percentile(command, 0.5) / percentile(shell, 0.5)
  row('`sh -c true`, for comparison', {
    times: shell,
    unit: 'ms',
    figure: `the shim takes ${toShell.toFixed(2)} of it`,
    bars: [{ text: `≤ ${SHIM_TO_SHELL} of it`, met: toShell <= SHIM_TO_SHELL }],
  })
  compareWithCurl({ url, token }, { command, input: payload('k{n}') })
}

function compareWithCurl({ url, token }, shim) {
  if (spawnSync('curl', ['--version']).error !== undefined) return note('curl is not installed')
  const asked = `curl -sf -o /dev/null -H 'authorization: Bearer ${token}' -H 'content-type: application/json' -d @- ${url}`
  const times = spawned(asked, shim.input)
  const ratio = percentile(shim.command, 0.5) / percentile(times, 0.5)
  row('`curl` to the same daemon, for comparison', {
    times,
    unit: 'ms',
    figure: `the shim takes ${ratio.toFixed(2)} of it`,
    bars: [{ text: `≤ ${SHIM_TO_CURL.toFixed(2)} of it`, met: ratio <= SHIM_TO_CURL }],
  })
}

async function timed(times, work) {
  const taken = []
  for (let n = 0; n < times; n += 1) {
    const start = performance.now()
    await work(n)
    taken.push(performance.now() - start)
  }
  return taken.sort((a, b) => a - b)
}

/** Milliseconds of each run, ascending. `{n}` in the input is replaced by the number of the run. */
function spawned(command, input) {
  const args = [path.join(import.meta.dirname, 'spawn-times.mjs'), command, '200', input]
  const { stdout } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(stdout).sort((a, b) => a - b)
}

async function measureClaude({ url, token, shim }) {
  const ways = {
    'no hooks': null,
    'http hooks': { http: { url, tokenVariable: 'SIGNALBOX_DAEMON_TOKEN' } },
    'the shim': { command: { command: shim } },
  }
  const gaps = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
  // In turns, so that a temporary slowdown of the machine affects all of them.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, way] of Object.entries(ways))
      gaps[name].push(...(await measureTurnGaps(way, token)))
  }
  for (const times of Object.values(gaps)) times.sort((a, b) => a - b)
  const bare = percentile(gaps['no hooks'], 0.5)
  for (const [name, times] of Object.entries(gaps)) {
    const extra = (percentile(times, 0.5) - bare) / HOOKS_A_CALL
    const figure = name === 'no hooks' ? '' : `${extra.toFixed(1)} ms a hook`
    row(`one call in Claude Code, ${name}`, { times, unit: 'ms', figure })
  }
}

/** Milliseconds between consecutive turns of the model in one run. */
async function measureTurnGaps(way, token) {
  const asked = []
  const model = await startAnthropicServer(({ index }) => {
    asked.push(performance.now())
    return index < CALLS
      ? { calls: [{ name: 'Bash', input: { command: 'true' } }] }
      : { say: 'Done.' }
  })
  const folders = makeLabFolders()
  try {
    const exit = await launchClaude({
      ...folders,
      prompt: 'Go.',
      modelUrl: model.url,
      env: { SIGNALBOX_DAEMON_TOKEN: token },
      ...(way === null ? {} : { settings: { hooks: claudeHookSettings(way) } }),
    })
    if (exit.exitCode !== 0 || asked.length !== CALLS + 1)
      throw new Error(`Claude ended with ${exit.exitCode} after ${asked.length} turns`)
  } finally {
    await model.close()
    folders.remove()
  }
  return asked.slice(1).map((at, index) => at - asked[index])
}

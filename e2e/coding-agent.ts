import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import {
  claudeProgram,
  type HarnessExit,
  type LabFolders,
  launchClaude,
  makeLabFolders,
  type ScriptedTurn,
  startAnthropicServer,
} from '@signalbox/testkit'
import { ORIGIN, ROOT, secrets } from './product.ts'

const SIGNALBOX = path.join(ROOT, 'packages/cli/dist/main.js')
export const CODER_CONFIG = readFileSync(
  path.join(ROOT, 'examples/coding-agent/config.json'),
  'utf8',
)

export class CodingAgent {
  readonly #folders: LabFolders
  readonly #env: NodeJS.ProcessEnv
  #daemon: ChildProcess | null = null
  readonly #typed = new Set<ChildProcess>()
  readonly #stop = new AbortController()

  constructor() {
    this.#folders = makeLabFolders()
    const { home } = this.#folders
    this.#env = { ...process.env, HOME: home, XDG_STATE_HOME: home }
  }

  has(file: string): boolean {
    return existsSync(this.path(file))
  }

  path(file: string): string {
    return path.join(this.#folders.workspace, file)
  }

  /** Resolves when the daemon listens. `prompt`: `ns/key`. */
  async startDaemon(prompt = 'team/coder'): Promise<void> {
    const daemon = spawn(
      process.execPath,
      [SIGNALBOX, 'daemon', '--url', ORIGIN, '--prompt', prompt, '--port', 'off'],
      {
        env: { ...this.#env, SIGNALBOX_API_KEY: secrets().demoKey },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    this.#daemon = daemon
    let output = ''
    for await (const chunk of daemon.stderr) {
      output += String(chunk)
      if (output.includes(`signalbox daemon: ${prompt} on`)) return
    }
    throw new Error(`The daemon ended: ${output}`)
  }

  /** PATH has Claude Code, Node.js, npm and the system's tools; npm installs into the home of the lab. */
  type(command: string): ChildProcess {
    const { home, workspace } = this.#folders
    const prefix = path.join(home, '.npm')
    const folders = [
      path.join(prefix, 'bin'),
      ...[claudeProgram(), process.execPath].map((file) => path.dirname(file)),
    ]
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: workspace,
      // A process group of its own, to which the programs belong that the command starts.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        NODE_ENV: 'production',
        HOME: home,
        npm_config_prefix: prefix,
        // Another test may use the default port.
        SIGNALBOX_DAEMON_PORT: '0',
        PATH: [...folders, '/usr/local/bin:/usr/bin:/bin'].join(':'),
      },
    })
    this.#typed.add(child)
    child.once('close', () => this.#typed.delete(child))
    return child
  }

  init(): void {
    const done = spawnSync(process.execPath, [SIGNALBOX, 'init', 'claude-code', '--yes'], {
      cwd: this.#folders.workspace,
      env: this.#env,
      encoding: 'utf8',
    })
    if (done.status !== 0) throw new Error(`init failed: ${done.stdout}${done.stderr}`)
  }

  /** Each function returns a turn of the model, and is called when that turn is due. */
  async run(turns: readonly (() => ScriptedTurn | Promise<ScriptedTurn>)[]): Promise<HarnessExit> {
    const model = await startAnthropicServer(
      ({ index }) => turns[index]?.() ?? { say: 'There is nothing left to do.' },
    )
    try {
      return await launchClaude({
        ...this.#folders,
        prompt: 'Prepare the release.',
        modelUrl: model.url,
        signal: this.#stop.signal,
      })
    } finally {
      await model.close()
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    const daemon = this.#daemon
    if (daemon !== null && daemon.exitCode === null) {
      daemon.kill('SIGTERM')
      await once(daemon, 'exit')
    }
    const left = [...this.#typed].map((child) => once(child, 'close'))
    for (const { pid } of this.#typed) if (pid !== undefined) process.kill(-pid, 'SIGTERM')
    await Promise.all(left)
    this.#folders.remove()
  }
}

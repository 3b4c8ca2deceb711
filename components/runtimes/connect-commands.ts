// Each command stops at its first failure. A downloaded file runs only if its SHA-256 is the one that the server gave this page.

import type { CommandPackage } from '@/server/runtimes/served-packages.ts'
import type { ConnectAgent } from './connect-agents.ts'

export interface ConnectChoice {
  /** Address of this server as the browser reached it, with its prefix path, without a trailing slash. */
  readonly serverUrl: string
  /** Answer of `runtimes.commandPackage`. */
  readonly commandPackage: Omit<CommandPackage, 'harnesses'>
  /** Null: no key yet; the command contains a placeholder. */
  readonly apiKey: string | null
  /** `ns/key`. Null: none chosen; the command contains a placeholder. */
  readonly prompt: string | null
  readonly agent: ConnectAgent
}

export interface ConnectStep {
  readonly id: 'install' | 'daemon' | 'project' | 'check' | 'client' | 'library' | 'key' | 'code'
  readonly title: string
  /** What it does, or where to run it. */
  readonly hint: string
  /** Command for bash, zsh and sh, whose lines run together, or code of an agent. */
  readonly command: string
}

export const PLACEHOLDER = { apiKey: '<key>', prompt: '<ns/key>' } as const

export function connectCommands(choice: ConnectChoice): readonly ConnectStep[] {
  const { agent } = choice
  switch (agent.way) {
    case 'hooks':
      return [install(choice), daemon(choice, 'the agent’s hooks'), ...hookSteps(agent)]
    case 'program':
      return programSteps(choice)
    case 'library':
      return [library(choice, ['runtime']), exportStep(choice), libraryCode(choice)]
    case 'python':
      return [install(choice), pythonDaemon(choice), ...pythonSteps(choice)]
    case 'http':
      return [
        install(choice),
        daemon(choice, 'your agent'),
        {
          id: 'code',
          title: 'Ask before each call and each stop',
          hint: 'a whole session with curl, in another terminal',
          command: httpSession(choice),
        },
      ]
    case 'mcp':
      return [install(choice), exportStep(choice), proxy(choice, 'mcp-proxy', 'my-server')]
    case 'acp':
      return [install(choice), exportStep(choice), proxy(choice, 'acp-proxy', 'opencode acp')]
    default:
      return agent.way satisfies never
  }
}

function install({ serverUrl, commandPackage }: ConnectChoice): ConnectStep {
  const file = commandPackage.path.slice(commandPackage.path.lastIndexOf('/') + 1)
  return {
    id: 'install',
    title: 'Install the CLI',
    hint: 'once per machine · needs curl and npm · if npm reports EACCES, first run npm config set prefix ~/.local, with ~/.local/bin in PATH',
    command: [
      `curl -fsS -o ${file} ${quoted(`${serverUrl}${commandPackage.path}`)} &&`,
      // macOS and most Linux systems have shasum, small Linux systems only sha256sum.
      // In a variable, so that the next line is short enough not to wrap.
      `sha256=${commandPackage.sha256} &&`,
      `echo "$sha256  ${file}" |`,
      '  if command -v shasum >/dev/null; then shasum -a 256 -c -; else sha256sum -c -; fi &&',
      `npm install --global ./${file}`,
    ].join('\n'),
  }
}

function exportKey({ apiKey }: ConnectChoice): string {
  return `export SIGNALBOX_API_KEY=${quoted(apiKey ?? PLACEHOLDER.apiKey)}`
}

const promptText = ({ prompt }: ConnectChoice): string => prompt ?? PLACEHOLDER.prompt

function daemon(choice: ConnectChoice, caller: string): ConnectStep {
  const { serverUrl } = choice
  return {
    id: 'daemon',
    title: 'Start the daemon',
    hint: `keep it running · it answers ${caller} on this machine`,
    command: [
      exportKey(choice),
      `signalbox daemon --url ${quoted(serverUrl)} --prompt ${quoted(promptText(choice))}`,
    ].join('\n'),
  }
}

/** The client proves its folder to the daemon, which refuses one outside of its own. */
function pythonDaemon(choice: ConnectChoice): ConnectStep {
  const step = daemon(choice, 'your agent')
  return { ...step, hint: `${step.hint} · start it in the agent’s folder or above it` }
}

function hookSteps({ value }: ConnectAgent): readonly ConnectStep[] {
  return [
    {
      id: 'project',
      title: 'Add the hooks in the agent’s folder',
      hint: 'in another terminal · --undo removes them',
      command: `signalbox init ${value} --yes`,
    },
    {
      id: 'check',
      title: 'Check the connection',
      hint: 'confirms hooks, daemon and console with one harmless test call',
      command: 'signalbox doctor',
    },
  ]
}

/** pip refuses a file whose SHA-256 is another one than that in its address. */
function pythonSteps(choice: ConnectChoice): readonly ConnectStep[] {
  const { serverUrl, commandPackage } = choice
  const { path, sha256 } = commandPackage.pythonClient
  return [
    {
      id: 'client',
      title: 'Install the client',
      hint: 'in the agent’s folder, in another terminal · Python 3.10 or newer · on Debian and Homebrew, pip needs a virtual environment · if venv is missing: apt install python3-venv',
      command: [
        'python3 -m venv .venv &&',
        '. .venv/bin/activate &&',
        `python3 -m pip install ${quoted(`${serverUrl}${path}#sha256=${sha256}`)}`,
      ].join('\n'),
    },
    {
      id: 'code',
      title: 'Open a session around the agent',
      hint: 'and guard each function that it calls · run this in the terminal of the previous step',
      command: [
        'import signalbox',
        '',
        `with signalbox.session("${promptText(choice)}", agent="my-agent", workspace_root=".") as s:`,
        '',
        '    @s.tool',
        '    def write_file(path: str, content: str) -> str:',
        '        ...',
      ].join('\n'),
    },
  ]
}

/** The server is the registry of its own libraries; npm compares their digests, and takes everything else from its usual registry. */
function library(
  { serverUrl, commandPackage, agent }: ConnectChoice,
  own: readonly string[],
): ConnectStep {
  const packages = [
    ...own.map((name) => `@signalbox/${name}@${commandPackage.version}`),
    ...(agent.packages ?? []),
  ]
  return {
    id: 'library',
    title: 'Install the library',
    hint: 'in the agent’s folder · Signalbox packages come from this console',
    command: [
      `npm config set --location=project ${quoted(`@signalbox:registry=${serverUrl}/packages/`)} &&`,
      `npm install ${packages.join(' ')}`,
    ].join('\n'),
  }
}

function exportStep(choice: ConnectChoice): ConnectStep {
  return {
    id: 'key',
    title: 'Set the API key',
    hint: 'set it in the environment that starts the agent',
    command: exportKey(choice),
  }
}

function libraryCode(choice: ConnectChoice): ConnectStep {
  return {
    id: 'code',
    title: 'Open a session in your agent',
    hint: 'then check each call and each stop with the session',
    command: [
      "import { createGuardrails } from '@signalbox/runtime'",
      '',
      'const guardrails = createGuardrails({',
      `  url: '${choice.serverUrl}',`,
      "  apiKey: process.env['SIGNALBOX_API_KEY'] ?? '',",
      `  prompt: '${promptText(choice)}',`,
      '})',
      'await guardrails.ready()',
      'const session = guardrails.openSession({ workspaceRoot: process.cwd() })',
    ].join('\n'),
  }
}

function programSteps(choice: ConnectChoice): readonly ConnectStep[] {
  return [
    library(choice, ['runtime', 'adapters']),
    exportStep(choice),
    {
      id: 'code',
      title: 'Guard the agent',
      hint: 'a whole program, from the documentation',
      command: documented(choice),
    },
  ]
}

/** It expects no decision, because the rules are the user's. Their socket is where the daemon puts it without settings. */
function httpSession(choice: ConnectChoice): string {
  return `ask() {  # ask PATH BODY
  curl -sS --unix-socket ~/.local/state/signalbox/agent.sock \\
    -H 'content-type: application/json' -d "$2" "http://localhost/agent/v1/$1"
  echo
}

opened=$(ask sessions '{
  "prompt": "${promptText(choice)}", "session_key": "'$(date +%s)-$$'",
  "agent": {"name": "my-agent", "language": "shell"},
  "capabilities": {
    "deny_reason": true, "inject": "in_result", "block_stop": "in_loop", "max_blocks": null,
    "structured": "none", "structured_attempts": null, "failure": "event", "call_ids": true,
    "batch": "serial", "on_guard_crash": "closed", "on_guard_timeout": "closed", "ungoverned": [],
    "replaces_arguments": true, "replaces_results": true
  }
}')
session=$(echo "$opened" | grep -o 'sess_[A-Za-z0-9]*' | head -n 1)

# Before a call: run the tool if the decision is "allow", with "args" of the answer if it has some.
# Give your agent the reason if the decision is "deny".
ask "sessions/$session/before-tool" '{"call_id": "1", "tool": "shell", "args": {"command": "make test"}}'

# After a call: give your agent "output" of the answer, if it has one, instead of the result, and the feedback.
ask "sessions/$session/after-tool" '{"call_id": "1", "outcome": "success", "output": "12 passed"}'

# Before the agent stops: continue with the message if the decision is "block".
ask "sessions/$session/stop" '{"attempt_id": "1", "via": "turn_end", "last_message": "Done."}'

ask "sessions/$session/end" '{"reason": "completed"}'`
}

/** The program of the documentation, which its tests run, for this server and prompt. */
function documented(choice: ConnectChoice): string {
  const program = choice.commandPackage.programs[choice.agent.value] ?? ''
  return program
    .trimEnd()
    .replaceAll('http://127.0.0.1:3000', choice.serverUrl)
    .replaceAll('demo/release-notes', promptText(choice))
}

function proxy(choice: ConnectChoice, command: string, example: string): ConnectStep {
  return {
    id: 'code',
    title:
      command === 'mcp-proxy'
        ? 'Start it where your client starts the server'
        : 'Start it where your client starts the agent',
    hint: `replace ${example} with your ${command === 'mcp-proxy' ? 'server' : 'agent'}’s command`,
    command: `signalbox ${command} --url ${quoted(choice.serverUrl)} --prompt ${quoted(promptText(choice))} -- ${example}`,
  }
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/

/** Null: the connection to this server is encrypted or stays on this machine. */
export function plainTextWarning(serverUrl: string): string | null {
  const { protocol, hostname } = new URL(serverUrl)
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return null
  return 'This page came over plain HTTP. Anyone on the network path can read the API key and replace this page, the package and its SHA-256. Serve Signalbox over HTTPS before you connect other machines.'
}

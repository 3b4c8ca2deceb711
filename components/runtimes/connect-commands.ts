// Each command stops at its first failure. A downloaded file runs only if its SHA-256 is the one that the server gave this page.

import type { CommandPackage } from '@/server/runtimes/served-packages.ts'

export interface ConnectChoice {
  /** Address of this server as the browser reached it, with its prefix path, without a trailing slash. */
  readonly serverUrl: string
  /** Answer of `runtimes.commandPackage`. */
  readonly commandPackage: Omit<CommandPackage, 'harnesses'>
  /** Null: no key yet; the command contains a placeholder. */
  readonly apiKey: string | null
  /** `ns/key`. Null: none chosen; the command contains a placeholder. */
  readonly prompt: string | null
  /** A harness that `signalbox init` accepts, or a value of LIBRARIES. */
  readonly agent: string
}

export interface ConnectStep {
  readonly id: 'install' | 'daemon' | 'project' | 'client' | 'library' | 'key' | 'code'
  readonly title: string
  /** Command for bash, zsh and sh, whose lines run together, or code of an agent. */
  readonly command: string
}

export const PLACEHOLDER = { apiKey: '<key>', prompt: '<ns/key>' } as const

/** Ways to guard an agent of one's own, offered after the harnesses. */
export const LIBRARIES = [
  { value: 'typescript', label: 'An agent in TypeScript' },
  { value: 'python', label: 'An agent in Python' },
] as const

export function connectCommands(choice: ConnectChoice): readonly ConnectStep[] {
  switch (choice.agent) {
    case 'typescript':
      return typescriptSteps(choice)
    case 'python':
      return [...daemonSteps(choice), ...pythonSteps(choice)]
    default:
      return [
        ...daemonSteps(choice),
        {
          id: 'project',
          title: 'Guard a project, in another terminal in its folder',
          command: [`signalbox init ${choice.agent} --yes &&`, 'signalbox doctor'].join('\n'),
        },
      ]
  }
}

function exportKey({ apiKey }: ConnectChoice): string {
  return `export SIGNALBOX_API_KEY=${quoted(apiKey ?? PLACEHOLDER.apiKey)}`
}

function daemonSteps(choice: ConnectChoice): readonly ConnectStep[] {
  const { serverUrl, commandPackage, prompt } = choice
  const file = commandPackage.path.slice(commandPackage.path.lastIndexOf('/') + 1)
  return [
    {
      id: 'install',
      title: 'Install the command',
      command: [
        `curl -fsS -o ${file} ${quoted(`${serverUrl}${commandPackage.path}`)} &&`,
        // macOS and most Linux systems have shasum, small Linux systems only sha256sum.
        `echo "${commandPackage.sha256}  ${file}" |`,
        '  if command -v shasum >/dev/null; then shasum -a 256 -c -; else sha256sum -c -; fi &&',
        `npm install --global ./${file}`,
      ].join('\n'),
    },
    {
      id: 'daemon',
      title: 'Start the daemon',
      command: [
        exportKey(choice),
        `signalbox daemon --url ${quoted(serverUrl)} --prompt ${quoted(prompt ?? PLACEHOLDER.prompt)}`,
      ].join('\n'),
    },
  ]
}

/** pip refuses a file whose SHA-256 is another one than that in its address. */
function pythonSteps({ serverUrl, commandPackage, prompt }: ConnectChoice): readonly ConnectStep[] {
  const { path, sha256 } = commandPackage.pythonClient
  return [
    {
      id: 'client',
      title: 'Install the Python client, in another terminal in the environment of your agent',
      command: `python3 -m pip install ${quoted(`${serverUrl}${path}#sha256=${sha256}`)}`,
    },
    {
      id: 'code',
      title: 'Guard a function that your agent calls',
      command: [
        'import signalbox',
        '',
        `with signalbox.session("${prompt ?? PLACEHOLDER.prompt}", agent="my-agent", workspace_root=".") as s:`,
        '',
        '    @s.tool',
        '    def write_file(path: str, content: str) -> str:',
        '        ...',
      ].join('\n'),
    },
  ]
}

/** The server is the registry of its own libraries; npm compares their digests, and takes everything else from its usual registry. */
function typescriptSteps(choice: ConnectChoice): readonly ConnectStep[] {
  const { serverUrl, commandPackage, prompt } = choice
  return [
    {
      id: 'library',
      title: 'Install the library, in the folder of your agent',
      command: [
        `npm config set --location=project ${quoted(`@signalbox:registry=${serverUrl}/packages/`)} &&`,
        `npm install @signalbox/runtime@${commandPackage.version}`,
      ].join('\n'),
    },
    { id: 'key', title: 'Give your agent the key', command: exportKey(choice) },
    {
      id: 'code',
      title: 'Open a session in your agent',
      command: [
        "import { createGuardrails } from '@signalbox/runtime'",
        '',
        'const guardrails = createGuardrails({',
        `  url: '${serverUrl}',`,
        "  apiKey: process.env['SIGNALBOX_API_KEY'] ?? '',",
        `  prompt: '${prompt ?? PLACEHOLDER.prompt}',`,
        '})',
        'await guardrails.ready()',
        'const session = guardrails.openSession({ workspaceRoot: process.cwd() })',
      ].join('\n'),
    },
  ]
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

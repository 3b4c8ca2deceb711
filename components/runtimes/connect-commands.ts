// Each command stops at its first failure. A downloaded file runs only if its SHA-256 is the one that the server gave this page.

export interface ConnectChoice {
  /** Address of this server as the browser reached it, with its prefix path, without a trailing slash. */
  readonly serverUrl: string
  /** Answer of `runtimes.commandPackage`. */
  readonly commandPackage: { readonly path: string; readonly sha256: string }
  /** Null: no key yet; the command contains a placeholder. */
  readonly apiKey: string | null
  /** `ns/key`. Null: none chosen; the command contains a placeholder. */
  readonly prompt: string | null
  /** One that `signalbox init` accepts. */
  readonly harness: string
}

export interface ConnectStep {
  readonly id: 'install' | 'daemon' | 'project'
  readonly title: string
  /** Command for bash, zsh and sh; several lines run together. */
  readonly command: string
}

export const PLACEHOLDER = { apiKey: '<key>', prompt: '<ns/key>' } as const

export function connectCommands(choice: ConnectChoice): readonly ConnectStep[] {
  const { serverUrl, commandPackage, apiKey, prompt, harness } = choice
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
        `export SIGNALBOX_API_KEY=${quoted(apiKey ?? PLACEHOLDER.apiKey)}`,
        `signalbox daemon --url ${quoted(serverUrl)} --prompt ${quoted(prompt ?? PLACEHOLDER.prompt)}`,
      ].join('\n'),
    },
    {
      id: 'project',
      title: 'Guard a project, in another terminal in its folder',
      command: [`signalbox init ${harness} --yes &&`, 'signalbox doctor'].join('\n'),
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

// The facts of one adapter that commands, documents and tests read. Each adapter folder has an `adapter.ts`; registry.ts lists them.
import type { JsonObject } from '@signalbox/core'
import type { HookHarness } from '@signalbox/runtime/harness'

export interface Adapter {
  /** Name of its folder, its sub-path and its page in specs/adapters, and of the harness in commands, hooks and events. */
  readonly name: string
  /** Name of the harness in documents. */
  readonly title: string
  /** Mechanism, as in the table of specs/adapters.md. */
  readonly asks: string
  /** Packages that its user installs. */
  readonly peers: readonly string[]
  /** null: no daemon is asked. */
  readonly daemon: DaemonHooks | null
  /** null: `signalbox init` cannot set it up. */
  readonly init: InitTarget | null
}

/** `command`: the harness runs the shim. `http`: it posts to the daemon itself. */
export type HookWay = 'command' | 'http'

export interface DaemonHooks {
  readonly hooks: (way: HookWay) => HookHarness
  /** Parses the version from the harness's description of itself in its hooks; null: it has none. */
  readonly versionFrom: (agent: string | null) => string | null
}

export type Scope = 'project' | 'user'

/** A folder on a user's machine; `dir` is the project, absolute. */
export interface InitPlace {
  readonly dir: string
  /** The user's home folder. */
  readonly home: string
  readonly env: { readonly [name: string]: string | undefined }
}

/** Route from the hooks to the daemon. */
export interface HookReach {
  /** Shell command that hands one hook to the daemon. */
  readonly command: string
  /** The daemon's socket; null: the default one. */
  readonly socket: string | null
  /** Address of the daemon on the loopback interface; null: everything goes by the command. */
  readonly http: string | null
  /** File with the daemon's token. */
  readonly token: string
}

/** Hooks among other settings, or a file of ours that `mark` identifies. */
export type InitContent =
  | {
      readonly kind: 'hooks'
      readonly hooks: JsonObject
      /** Other members of a new file. */
      readonly base: JsonObject
      /** The harness reads comments and trailing commas. */
      readonly hasComments: boolean
    }
  | { readonly kind: 'whole'; readonly text: string; readonly mark: string }

export interface Finding {
  readonly code: string
  /** One sentence that includes what to do. */
  readonly message: string
}

export interface ExaminedPlace extends InitPlace {
  /** Version of the harness; null: its program is not on PATH. */
  readonly version: string | null
  /** Files with our hooks. */
  readonly files: readonly string[]
  readonly command: string
  /** null: there is no file. */
  readonly readText: (file: string) => string | null
}

/** The file in which a harness keeps its hooks, and the content that it must have. */
export interface InitTarget {
  /** Name of the program on PATH. */
  readonly program: string
  /** False: its hooks do not report the version, so the shim must. */
  readonly tellsVersion: boolean
  readonly hasHttp: boolean
  /** Settings file or plugin file. */
  readonly file: (scope: Scope, place: InitPlace) => string
  readonly content: (reach: HookReach) => InitContent
  /** Events whose hooks must refuse when they fail: about calls and stops. The others report, and may fail. */
  readonly asking: readonly string[]
  /** A hook about a call, as far as the harness must name it to be refused one. */
  readonly call: JsonObject
  /** Steps that remain for the user, one sentence each. */
  readonly afterwards: (scope: Scope, reach: HookReach) => readonly string[]
  /** Reasons why the harness skips hooks that are set. */
  readonly examine: (place: ExaminedPlace) => Promise<readonly Finding[]>
}

/** Environment variable that holds the daemon's token for http hooks. */
export const TOKEN_VARIABLE = 'SIGNALBOX_DAEMON_TOKEN'

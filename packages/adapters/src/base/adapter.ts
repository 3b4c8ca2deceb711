import type { JsonObject } from '@signalbox/core'
import type { HookHarness } from '@signalbox/runtime/harness'

/** Facts about one adapter, for commands, documents and tests. Each adapter folder has an `adapter.ts`; registry.ts lists them. */
export interface Adapter {
  /** Name of the folder, the sub-path and the page in specs/adapters, and of the harness in commands, hooks and events. */
  readonly name: string
  readonly title: string
  readonly asks: string
  readonly peers: readonly string[]
  /** null: the adapter uses no daemon. */
  readonly daemon: DaemonHooks | null
  /** null: `signalbox init` does not support it. */
  readonly init: InitTarget | null
}

/** `command`: the harness runs the shim. `http`: it posts to the daemon itself. */
export type HookWay = 'command' | 'http'

export interface DaemonHooks {
  readonly hooks: (way: HookWay) => HookHarness
  /** Parses the version from the harness's description of itself in its hooks; null: not included. */
  readonly versionFrom: (agent: string | null) => string | null
}

export type Scope = 'project' | 'user'

export interface InitPlace {
  readonly dir: string
  readonly home: string
  readonly env: { readonly [name: string]: string | undefined }
}

export interface HookReach {
  readonly command: string
  /** Socket of the daemon; null: the default one. */
  readonly socket: string | null
  /** Address of the daemon on the loopback interface; null: all hooks use the command. */
  readonly http: string | null
  readonly token: string
}

/** Hooks among other settings, or a whole file of ours, identified by `mark`. */
export type InitContent =
  | {
      readonly kind: 'hooks'
      readonly hooks: JsonObject
      /** Other members of a newly created file. */
      readonly base: JsonObject
      /** True: the harness accepts comments and trailing commas. */
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
  readonly files: readonly string[]
  readonly command: string
  /** null: the file does not exist. */
  readonly readText: (file: string) => string | null
}

export interface InitTarget {
  readonly program: string
  /** False: its hooks do not report the version, so the shim must. */
  readonly tellsVersion: boolean
  readonly hasHttp: boolean
  /** Settings file or plugin file. */
  readonly file: (scope: Scope, place: InitPlace) => string
  readonly content: (reach: HookReach) => InitContent
  /** Events whose hooks must refuse when they fail: those about calls and stops. Other hooks only report, and may fail. */
  readonly asking: readonly string[]
  /** Smallest payload of a hook about a call that can be refused. */
  readonly call: JsonObject
  /** Steps that remain for the user, one sentence each. */
  readonly afterwards: (scope: Scope, reach: HookReach) => readonly string[]
  /** Finds reasons why the harness skips hooks that are installed. */
  readonly examine: (place: ExaminedPlace) => Promise<readonly Finding[]>
}

export const TOKEN_VARIABLE = 'SIGNALBOX_DAEMON_TOKEN'

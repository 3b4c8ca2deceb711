// Carries no data, so a missed one costs a refetch and never shows wrong data. Its JSON form is the payload of NOTIFY.

export type ChangeKind =
  | 'session'
  | 'alert'
  | 'annotation'
  | 'label'
  | 'prevention'
  | 'suggestion'
  | 'view'
  | 'approval'
  | 'config'
  | 'presence'
  | 'runtime'
  | 'release'
  | 'backtest'
  | 'stream'
  | 'refresh'
  /** Membership of the user `id`; ends their streams and is never sent to them. */
  | 'member'

export interface ChangeNotification {
  readonly project: string
  readonly kind: ChangeKind
  /** Id of the changed object; for releases, of the environment; for annotations, labels and preventions, of the session; for suggestions, the prompt. Absent: any object of the kind. */
  readonly id?: string
  /** For sessions, the highest contiguous sequence number; for releases, the revision of the environment. */
  readonly seq?: number
  /** Id of the environment. Only for `refresh`, which requests a report from the runtime `id`. */
  readonly environment?: string
}

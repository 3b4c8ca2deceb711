// A live notification: "this changed, read it again". It carries no data, so that a missed one costs a refetch and never shows
// something wrong. Its JSON form is the payload of NOTIFY.

export type ChangeKind =
  | 'session'
  | 'alert'
  | 'annotation'
  | 'view'
  | 'approval'
  | 'config'
  | 'presence'
  | 'runtime'
  | 'release'
  | 'backtest'
  | 'refresh'
  /** Membership of the user `id`; ends their streams and is not shown. */
  | 'member'

export interface ChangeNotification {
  readonly project: string
  readonly kind: ChangeKind
  /** Id of the changed object; for releases that of the environment, for annotations that of the session. Absent: any of the kind. */
  readonly id?: string
  /** Highest contiguous sequence number for sessions; revision of the environment for releases. */
  readonly seq?: number
  /** Only for `refresh`, which requests a report from the runtime `id`: id of its environment. */
  readonly environment?: string
}

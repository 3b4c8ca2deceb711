// Maps the prefix of an id in the URL grammar to its table. Each has `id` and `project_id`.

export const TABLE_OF = {
  sess: 'sessions',
  stop: 'stops',
  cfg: 'configs',
  drf: 'drafts',
  ver: 'config_versions',
  rel: 'releases',
  rt: 'runtimes',
  bt: 'backtests',
  apr: 'call_approvals',
  alr: 'alerts',
  key: 'api_keys',
  aud: 'audit_entries',
  ann: 'annotations',
  view: 'saved_views',
} as const

const BY_PREFIX: ReadonlyMap<string, string> = new Map(Object.entries(TABLE_OF))

/** Null for an id without a known prefix. */
export function findIdTable(id: string): string | null {
  return BY_PREFIX.get(id.slice(0, id.indexOf('_'))) ?? null
}

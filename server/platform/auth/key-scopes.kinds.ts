/** Scopes that an API key may have. Forms read them too, so nothing of the server is imported. */
export const KEY_SCOPES = [
  'ingest',
  'read',
  'publish',
  'sessions:read',
  'audit:read',
  'admin',
] as const

export type KeyScopeName = (typeof KEY_SCOPES)[number]
